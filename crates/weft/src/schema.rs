//! `weft schema`: the JSON Schema of a dialect's event, or of one of its documents.

use std::sync::LazyLock;

use clap::builder::PossibleValuesParser;
use weft_event::Dialect;
use weft_event::json::{Object, Tape, pretty};

use crate::{Outcome, output};

const EXAMPLES: &str = "\
Examples:
  weft schema collector > collector.schema.json   the schema of an event
  weft schema collector/legacy-row                the schema of another document of the dialect
  weft schema | jq keys                           every schema there is, by name";

/// The name of every schema: the dialects', each followed by its documents'.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = |dialect: &Dialect| {
        let name = dialect.as_str();
        let documents = dialect.documents().map(move |document| format!("{name}/{document}"));
        std::iter::once(name.to_owned()).chain(documents)
    };
    Dialect::ALL.iter().flat_map(names).collect()
});

/// Print the JSON Schema of a dialect
///
/// Without a name, prints one object with every schema under its name.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A dialect, or one of its documents that are not events
    #[arg(value_name = "DIALECT[/DOCUMENT]", value_parser = PossibleValuesParser::new(NAMES.iter().map(String::as_str)))]
    name: Option<String>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let schema = match &args.name {
        Some(name) => schema_of(name),
        None => {
            let mut all = String::new();
            let mut object = Object::begin(&mut all);
            for name in NAMES.iter() {
                object.key(name).push_str(&schema_of(name));
            }
            object.end();
            all
        }
    };
    let mut tape = Tape::new();
    let mut text = pretty(tape.parse(&schema).expect("a schema is JSON"));
    text.push('\n');
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn schema_of(name: &str) -> String {
    let (dialect, document) = match name.split_once('/') {
        Some((dialect, document)) => (dialect, Some(document)),
        None => (name, None),
    };
    let dialect = Dialect::parse(dialect).expect("only known names pass");
    match document {
        Some(document) => dialect.document_schema(document).expect("only known names pass"),
        None => dialect.schema(),
    }
}
