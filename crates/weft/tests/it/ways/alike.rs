//! Makes the output of two stores comparable: their ids, their folders and the times at which they received something differ, and
//! what is made from these. Everything else has to be the same to the letter.

use jiff::Timestamp;

use crate::sandbox::Sandbox;

/// What is known of one store.
pub(super) struct Alike {
    folder: String,
    store: String,
    /// The ids of what was refused, which are made from where it came from.
    refused: Vec<String>,
    /// The sizes of archives, which depend on the hashes in them.
    archives: Vec<String>,
    began: Timestamp,
}

impl Alike {
    pub(super) fn new(sandbox: &Sandbox) -> Self {
        let folder = sandbox.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let stats: serde_json::Value =
            serde_json::from_str(&sandbox.run(&["stats", "--json"]).stdout).unwrap();
        let store = stats["store"].as_str().unwrap().to_owned();
        let (refused, archives) = (Vec::new(), Vec::new());
        Self { folder, store, refused, archives, began: Timestamp::now() }
    }

    /// Returns the id of the first refusal; an empty one if there is none.
    pub(super) fn first_refused(&self) -> String {
        self.refused.first().cloned().unwrap_or_default()
    }

    /// Learns the ids of what was refused, in the order in which that was, and how large archives are.
    fn look(&mut self, sandbox: &Sandbox) {
        let listed = sandbox.run(&["rejects", "list", "--json"]).stdout;
        for line in listed.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let Some(id) = line["id"].as_str() else { continue };
            if !self.refused.iter().any(|known| known == id) {
                self.refused.push(id.to_owned());
            }
        }
        for entry in std::fs::read_dir(sandbox.store().join("log")).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().ends_with(".zst") {
                self.archives.push(entry.metadata().unwrap().len().to_string());
            }
        }
    }

    /// Returns a text without what differs.
    pub(super) fn scrub(&mut self, sandbox: &Sandbox, text: &str) -> String {
        if ["refused", "rejected", ".zst", "archived"].iter().any(|word| text.contains(word)) {
            self.look(sandbox);
        }
        let mut text = text.replace(&self.folder, "HERE").replace(&self.store, "STORE");
        for (n, id) in self.refused.iter().enumerate() {
            let name = format!("REFUSED-{n}");
            // The first twelve digits are what people are shown.
            text = text.replace(id, &name).replace(&id[..12], &name);
        }
        let until = Timestamp::now();
        let mut out = String::new();
        let mut rest = &*text;
        while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
            out += &rest[..at];
            rest = &rest[at..];
            let (name, n) = time(rest, self.began, until)
                .map(|n| ("NOW", n))
                .or_else(|| id(rest, self.began, until).map(|n| ("ID", n)))
                .or_else(|| hash(rest).map(|n| ("HASH", n)))
                .unwrap_or(("", 0));
            out += name;
            rest = &rest[n..];
            if n == 0 {
                let (word, behind) = rest.split_at(prefix(rest, |c| c.is_ascii_alphanumeric()));
                let is_archive = self.archives.iter().any(|bytes| bytes == word);
                out += if is_archive { "ARCHIVED" } else { word };
                rest = behind;
            }
        }
        without_ages(&(out + rest))
    }
}

/// Returns how many bytes of a text are a time between two others: a date with its time, or microseconds since 1970.
fn time(text: &str, began: Timestamp, until: Timestamp) -> Option<usize> {
    let digits = prefix(text, |c| c.is_ascii_digit());
    // What is not older than a day is shown without its date, and how long ago it was.
    let clock = text.get(..8).filter(|clock| clock.matches(':').count() == 2 && digits == 2);
    if clock.is_some() && text[8..].starts_with(" (") {
        return Some(8);
    }
    if digits == 16 {
        let micros: i64 = text[..digits].parse().ok()?;
        let span = began.as_microsecond()..=until.as_microsecond();
        return span.contains(&micros).then_some(digits);
    }
    let second = text.get(..19).filter(|_| digits == 4)?;
    let known = |time: Timestamp| time.to_string()[..19].to_owned();
    let is_now = (known(began)..=known(until)).contains(&second.replace(' ', "T"));
    is_now.then(|| 19 + prefix(&text[19..], |c| c.is_ascii_digit() || c == '.'))
}

/// Returns how many bytes of a text are an id that was made between two times: its first digits are milliseconds since 1970.
fn id(text: &str, began: Timestamp, until: Timestamp) -> Option<usize> {
    let id: uuid::Uuid = text.get(..36)?.parse().ok()?;
    let millis = i64::try_from(id.as_u128() >> 80).unwrap();
    (began.as_millisecond()..=until.as_millisecond()).contains(&millis).then_some(36)
}

/// Returns how many bytes of a text are a hash of the log's chain, which goes over ids and times.
fn hash(text: &str) -> Option<usize> {
    let digits = prefix(text, |c| c.is_ascii_alphanumeric());
    (digits == 64 && text[..64].bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
}

fn prefix(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// Takes out how long ago the times of this run are, and the widths that columns have for it.
fn without_ages(text: &str) -> String {
    let plain = |line: &str| {
        let aged = line.split_once(" (").and_then(|(before, behind)| {
            let (age, behind) = behind.split_once(')')?;
            let is_age = age == "now" || age.ends_with(" ago");
            is_age.then(|| format!("{}{behind}", before.strip_suffix(" +00:00").unwrap_or(before)))
        });
        let line = aged.unwrap_or_else(|| line.to_owned());
        let line = match line.split_once(",\"index\":{\"bytes\":") {
            Some((before, behind)) => before.to_owned() + behind.split_once("}}").unwrap().1,
            None => line,
        };
        let columns = line.split("  ").filter(|column| !column.is_empty());
        columns.map(str::trim).collect::<Vec<_>>().join("  ") + "\n"
    };
    text.lines().filter(|line| !is_pace(line)).map(plain).collect()
}

/// Returns whether a line says how large the index is or how far the text search: that follows at its own pace, and free pages
/// stay in the file.
fn is_pace(line: &str) -> bool {
    ["index ", "text "].iter().any(|name| line.trim_start().starts_with(name))
}
