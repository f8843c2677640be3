//! `weft export jwz`: topics and messages as a message store that jwz and `weft import jwz` read.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use tempfile::NamedTempFile;
use weft_event::idle::{TopicRecord, TopicWord};
use weft_event::json::Tape;
use weft_log::blobs::{self, Blobs};
use weft_log::{Filter, export};
use weft_runtime::topics::jwz::{self, FILE, IGNORED};

use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{plural, tell};
use crate::stores::StoreArgs;

const EXAMPLES: &str = "\
Examples:
  weft export jwz backup/.jwz          every topic and message of the log
  weft import jwz backup/.jwz          and back, here or in another store

Messages are written as they came, those that others took the place of too.
Exit codes: 0 all was exported, 1 a record is damaged or a value could not be put back, 2 wrong use or an unreadable store.";

/// Write topics and messages as a jwz store
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The folder of the store; made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(stores: &StoreArgs, args: &Args) -> anyhow::Result<Outcome> {
    let path = args.folder.join(FILE);
    if path.exists() {
        anyhow::bail!("{} is there already: name another folder", path.display());
    }
    let store = stores.store()?;
    let topics = topics(&store)?;
    let cannot = || format!("cannot write to {}", args.folder.display());
    std::fs::create_dir_all(&args.folder).with_context(cannot)?;
    let mut file = NamedTempFile::new_in(&args.folder).with_context(cannot)?;
    let mut write = |line: &[u8]| -> anyhow::Result<()> {
        file.write_all(line).and_then(|()| file.write_all(b"\n")).with_context(cannot)
    };
    for line in topics.lines() {
        write(line.as_bytes())?;
    }
    let blobs = Blobs::new(store.blobs());
    let (mut n_messages, mut n_left) = (0, 0);
    let mut gauge = Gauge::new("exporting", Unit::Records);
    let n_lost = export::each_match(
        &store,
        &Filter::parse("dialect=idle type=message", 0)?,
        &mut |done, last| gauge.set(done, last),
        &mut |_, _, line| {
            let restored = blobs::restore(line, &blobs)?;
            n_left += restored.left.len() as u64;
            n_messages += 1;
            write(&restored.line)
        },
    )?;
    gauge.finish();
    file.as_file().sync_all().with_context(cannot)?;
    std::fs::write(args.folder.join(".gitignore"), IGNORED).with_context(cannot)?;
    file.persist_noclobber(&path).map_err(|error| error.error).with_context(cannot)?;
    let n_topics = plural(topics.n as u64, "topic");
    tell(format_args!("{n_topics}, {} in {}", plural(n_messages, "message"), path.display()));
    if n_lost > 0 {
        tell(format_args!("note: {} damaged", plural(n_lost, "record")));
    }
    if n_left > 0 {
        tell(format_args!("note: {} not be put back", plural(n_left, "value could")));
    }
    let is_whole = n_lost == 0 && n_left == 0;
    Ok(if is_whole { Outcome::Fine } else { Outcome::Found })
}

/// The topics of a log as lines of a message store.
struct Topics {
    n: usize,
    lines: String,
}

impl Topics {
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.lines()
    }
}

/// Returns the record of every topic that a message is posted to; one that has none is given one by the name that its messages use.
fn topics(store: &weft_log::Store) -> anyhow::Result<Topics> {
    let (mut records, mut used) = (BTreeMap::new(), BTreeMap::new());
    let mut seen = BTreeSet::new();
    let filter = Filter::parse("dialect=idle (type=message or type=topic)", 0)?;
    export::each_match::<anyhow::Error>(store, &filter, &mut |_, _| {}, &mut |meta, _, line| {
        let text = String::from_utf8_lossy(line);
        match jwz::line(&text)? {
            jwz::Line::Topic(known) => {
                // A record that was carried stands there once.
                if seen.insert((known.topic_id().to_owned(), line.to_vec())) {
                    records.insert(known.topic_id().to_owned(), text.into_owned());
                }
            }
            jwz::Line::Message { topic_id, created_ms, .. } => {
                let name = meta.mark.as_ref().and_then(|mark| mark.topic.as_ref());
                let name = name.map_or_else(|| topic_id.clone(), |topic| topic.topic.clone());
                used.entry(topic_id).or_insert((name, created_ms));
            }
            jwz::Line::Other => {}
        }
        Ok(())
    })?;
    for (topic_id, (name, created_at)) in used {
        records.entry(topic_id).or_insert_with_key(|topic_id| {
            let record = TopicRecord {
                kind: TopicWord,
                id: topic_id.into(),
                name: name.into(),
                description: "".into(),
                created_at,
                extra: Vec::new(),
            };
            record.to_line()
        });
    }
    let n = records.len();
    let lines: Vec<String> = records.into_values().collect();
    debug_assert!(lines.iter().all(|line| Tape::new().parse(line).is_ok()));
    Ok(Topics { n, lines: lines.join("\n") })
}
