//! What was refused, as a list with counts, and one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write as _};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use weft_event::json::{Json, Object};
use weft_log::rejected::{Found, Kept, Rejected, Span};

use crate::Outcome;
use crate::output::{self, Format, Shown, plural};

/// Lists everything, oldest first, and counts it by reason.
pub(super) fn list(rejected: &Rejected, format: Format) -> anyhow::Result<Outcome> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut codes: BTreeMap<String, u64> = BTreeMap::new();
    let mut n_kept = 0;
    let mut is_damaged = false;
    for found in rejected.list(Span::default())? {
        let kept = match found? {
            Found::Kept(kept) => kept,
            Found::Unreadable { path, number } => {
                is_damaged = true;
                let path = path.display();
                output::tell(format_args!("note: {path}:{number} cannot be read, and is left out"));
                continue;
            }
        };
        n_kept += 1;
        let reasons: BTreeSet<&str> =
            kept.reasons.iter().map(|reason| reason.code.as_str()).collect();
        for code in reasons {
            *codes.entry(code.to_owned()).or_default() += 1;
        }
        match format {
            Format::Text => writeln!(out, "{}", Shown(&row(&kept)))?,
            Format::Json => {
                writeln!(out, "{}", Json::object(|object| write(object, &kept)).as_str())?;
            }
        }
    }
    match format {
        Format::Text => {
            out.flush()?;
            output::tell(format_args!("{} refused", plural(n_kept, "event")));
            for (code, n) in &codes {
                output::tell(format_args!("  {code}: {n}"));
            }
        }
        Format::Json => {
            let counts = Json::object(|counts| {
                codes.iter().for_each(|(code, n)| counts.json(code, &Json::integer(*n)));
            });
            let summary = Json::object(|object| {
                object.json("refused", &Json::integer(n_kept));
                object.json("reasons", &counts);
            });
            let line = Json::object(|object| object.json("summary", &summary));
            writeln!(out, "{}", line.as_str())?;
            out.flush()?;
        }
    }
    Ok(if is_damaged { Outcome::Unreadable } else { Outcome::Fine })
}

/// Shows one refusal.
pub(super) fn one(rejected: &Rejected, id: &str, format: Format) -> anyhow::Result<Outcome> {
    let kept = rejected.read(id)?;
    let bytes = rejected.bytes(&kept)?;
    let text = match format {
        Format::Json => {
            let object = Json::object(|object| {
                write(object, &kept);
                // What is not UTF-8 is shown with its bad bytes replaced; `weft rejects retry` has them as they came.
                object.text("bytes", &String::from_utf8_lossy(&bytes));
            });
            format!("{}\n", object.as_str())
        }
        Format::Text => {
            let mut text = format!("{}\n", Shown(&format!("id: {}", kept.id.to_hex())));
            text += &format!("refused: {}\n", when(kept.at_us));
            text += &format!("from: {}\n", Shown(&format!("{} ({})", kept.origin, kept.via)));
            for reason in &kept.reasons {
                let pointer = if reason.path.is_empty() { "" } else { ": " };
                let why = format!("{}{pointer}{} [{}]", reason.path, reason.message, reason.code);
                text += &format!("why: {}\n", Shown(&why));
            }
            match bytes.is_empty() {
                true => text += "bytes: not kept\n",
                false => text += &format!("{}\n", Shown(&String::from_utf8_lossy(&bytes))),
            }
            text
        }
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn row(kept: &Kept) -> String {
    let reason = kept.reasons.first();
    let more = match kept.reasons.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    let why = reason.map_or(String::new(), |reason| {
        let pointer = if reason.path.is_empty() { "" } else { ": " };
        format!("{}{pointer}{} [{}]", reason.path, reason.message, reason.code)
    });
    format!("{}  {}  {}  {why}{more}", kept.id, when(kept.at_us), kept.origin)
}

/// Returns a time as the clock on the wall shows it.
fn when(at_us: i64) -> String {
    match Timestamp::from_microsecond(at_us) {
        Ok(at) => at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => format!("{at_us} µs"),
    }
}

fn write(object: &mut Object<'_>, kept: &Kept) {
    object.text("id", &kept.id.to_hex());
    object.json("at", &Json::integer(kept.at_us));
    object.text("via", &kept.via);
    object.text("origin", &kept.origin);
    let reasons = kept.reasons.iter().map(|reason| {
        Json::object(|object| {
            object.text("code", &reason.code);
            object.text("pointer", &reason.path);
            object.text("message", &reason.message);
        })
    });
    object.json("problems", &Json::array(reasons));
}
