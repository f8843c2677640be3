//! What must hold for any bytes whatever. Each function panics where it does not; the fuzz targets and the replay of their
//! corpora call the same ones.

use std::mem;

use weft_event::engine::action::Action;
use weft_event::event::{self, Event, Expect};
use weft_event::hook::{self, Around};
use weft_event::json::{self, Kind, Tape, Value};
use weft_event::problem::{Code, Problem, Problems};
use weft_event::secrets::{Rules, redact};
use weft_event::shape::Wire;
use weft_event::transcript::{self, Client};
use weft_event::translate::otlp::{Reader, Series, Signal};
use weft_event::translate::{Fill, Origin};
use weft_event::{Dialect, collector, engine, idle, needle, own, pinchy};

/// A target: the name of its corpus, and what it does with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("idle", |line| dialect(Dialect::Idle, line)),
    ("collector", |line| dialect(Dialect::Collector, line)),
    ("pinchy", |line| dialect(Dialect::Pinchy, line)),
    ("engine", |line| dialect(Dialect::Engine, line)),
    ("needle", |line| dialect(Dialect::Needle, line)),
    ("weft", |line| dialect(Dialect::Weft, line)),
    ("detect", detect),
    ("json", json),
    ("lines", lines),
    ("transcript", transcript),
    ("hook", hook),
    ("secrets", secrets),
    ("otlp", otlp),
];

/// Reads a line as an event of the dialect. A valid one is JSON to `serde_json` too, has the same facts and report however it is
/// spelled, and survives its typed record.
pub fn dialect(dialect: Dialect, line: &[u8]) {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let Some(event) = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems) else {
        assert!(problems.has_errors(), "no event and no reason why");
        return;
    };
    let facts = describe(&event);
    let canonical = json::canonical(event.value());
    documents(dialect, event.value());
    if problems.has_errors() {
        return;
    }
    serde_json::from_slice::<serde_json::Value>(line).expect("a valid event is JSON");
    if event.value().repeated_keys().next().is_none() {
        let respelled = describe_line(dialect, &canonical);
        assert_eq!(facts, respelled, "the facts depend on the spelling");
    }
    if let Some(written) = typed(&event) {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        event::read(&mut tape, written.as_bytes(), Expect::Dialect(dialect), &mut problems);
        assert!(!problems.has_errors(), "written as {written}: {:?}", problems.list());
        assert_eq!(facts, describe_line(dialect, &written), "the typed record has other facts");
    }
}

/// Checks a value as every document of the dialect; a valid action survives its typed record.
fn documents(dialect: Dialect, value: Value<'_>) {
    for name in dialect.documents() {
        let mut problems = Problems::new();
        assert!(dialect.check_document(name, value, &mut problems), "{name} is not known");
        if dialect != Dialect::Engine || name != "action" || problems.has_errors() {
            continue;
        }
        if let Some(written) = Action::read(value).map(|action| action.to_line()) {
            let mut tape = Tape::new();
            let mut problems = Problems::new();
            let value = tape.parse(&written).expect("a record writes JSON");
            dialect.check_document(name, value, &mut problems);
            assert!(!problems.has_errors(), "written as {written}: {:?}", problems.list());
        }
    }
}

/// Finds the dialect of a line: the same on every try, and the same as reading it in that dialect.
pub fn detect(line: &[u8]) {
    let (dialect, found) = read(&mut Tape::new(), line, Expect::Any);
    assert_eq!((dialect, found.clone()), read(&mut Tape::new(), line, Expect::Any));
    if let Some(dialect) = dialect {
        assert_eq!((Some(dialect), found), read(&mut Tape::new(), line, Expect::Dialect(dialect)));
    }
}

/// Parses bytes as JSON: what `serde_json` takes and nothing else, to the same values.
pub fn json(bytes: &[u8]) {
    let mut tape = Tape::new();
    let ours = tape.parse_bytes(bytes);
    let theirs = serde_json::from_slice::<serde_json::Value>(bytes);
    match (ours, theirs) {
        (Ok(value), Ok(tree)) => {
            if value.repeated_keys().next().is_none() {
                assert_same(value, &tree);
            }
            let canonical = json::canonical(value);
            let mut tape = Tape::new();
            let again = tape.parse(&canonical).expect("canonical JSON is JSON");
            assert_eq!(json::canonical(again), canonical, "canonical JSON is not its own canon");
        }
        (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) => panic!("taken, but serde_json says: {error}"),
        (Err(error), Ok(_)) => panic!("refused, but serde_json takes it: {error}"),
    }
}

/// Reads bytes as a file of a session, of every client: its events are valid without a warning, and a stop after any line changes
/// nothing.
pub fn transcript(bytes: &[u8]) {
    for client in Client::ALL {
        let mut reader = transcript::Reader::new(*client, "rollout-x.jsonl");
        let (mut tape, mut events) = (Tape::new(), Vec::new());
        for line in bytes.split(|&byte| byte == b'\n') {
            let read = reader.read(&mut tape, line, &mut events);
            let again = transcript::Reader::resume(*client, "rollout-x.jsonl", &reader.state());
            assert_eq!(again.as_ref(), Some(&reader), "a stop loses something");
            if read.is_err() {
                assert!(events.is_empty(), "an event and an error");
            }
            for event in events.drain(..) {
                let mut problems = Problems::new();
                let expect = Expect::Dialect(Dialect::Collector);
                event::read(&mut tape, event.as_bytes(), expect, &mut problems);
                assert!(problems.list().is_empty(), "written as {event}: {:?}", problems.list());
            }
        }
    }
}

/// Reads bytes line by line: a tape that was used before gives what a new one gives.
pub fn lines(bytes: &[u8]) {
    let mut used = Tape::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let fresh = read(&mut Tape::new(), line, Expect::Any);
        assert_eq!(read(&mut used, line, Expect::Any), fresh, "a used tape reads otherwise");
    }
}

/// Takes bytes for the payload of a hook: the event is valid without a warning, on one line, and packed it is the same report.
pub fn hook(payload: &[u8]) {
    let around = Around { now_ns: 1_794_648_600_123_456_789, traceparent: None };
    let Ok(event) = hook::to_event(payload, None, &around) else { return };
    let packed = hook::to_packed_event(payload, None, &around)
        .expect("what is fuzzed is far from any limit");
    let read = |line: &str| {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
        let facts = event.expect("it is an event").facts();
        assert!(problems.list().is_empty(), "{line}: {:?}", problems.list());
        assert_eq!(facts.dialect, Dialect::Collector);
        assert!(!line.contains('\n'));
        facts.identity.own.map(|key| key.to_string())
    };
    assert_eq!(read(&event), read(&packed), "another identity");
}

/// Takes the events out of an export request. Those that are made of its records have nothing wrong with them but what is wrong
/// with the request itself: a key that stands twice, or more levels than an event has room for.
pub fn otlp(request: &[u8]) {
    let mut tape = Tape::new();
    let Ok(value) = tape.parse_bytes(request) else { return };
    for signal in Signal::ALL {
        let mut series = Series::new(0);
        let agent = Some("a".to_owned());
        let fill = Fill { time_ns: Some(1), agent, ..Fill::default() };
        Reader::new(fill, &mut series).read(value, signal, &mut |taken| {
            let Ok(opened) = &taken.outcome else { return };
            assert!(!opened.line.contains('\n'), "{}", opened.line);
            if opened.origin == Origin::Original || opened.dialect != Dialect::Collector {
                return;
            }
            let (mut tape, mut problems) = (Tape::new(), Problems::new());
            let line = opened.line.as_bytes();
            event::read(&mut tape, line, Expect::Dialect(opened.dialect), &mut problems);
            let is_the_requests =
                |problem: &Problem| [Code::DuplicateKey, Code::Json].contains(&problem.code);
            let others = problems.list().iter().find(|problem| !is_the_requests(problem));
            assert!(others.is_none(), "{}: {others:?}", opened.line);
        });
    }
}

/// Takes secrets out of bytes: a second pass finds nothing, and JSON stays JSON.
pub fn secrets(bytes: &[u8]) {
    let rules = Rules::default();
    let mut matched = Vec::new();
    let once = redact(bytes, &rules, &mut matched);
    assert_eq!(matched.is_empty(), *once == *bytes, "what was found is not what was replaced");
    matched.clear();
    let twice = redact(&once, &rules, &mut matched);
    assert!(*twice == *once && matched.is_empty(), "a second pass finds more");
    if Tape::new().parse_bytes(bytes).is_ok() {
        assert!(Tape::new().parse_bytes(&once).is_ok(), "what was JSON is none");
    }
}

fn read(tape: &mut Tape, line: &[u8], expect: Expect) -> (Option<Dialect>, String) {
    let mut problems = Problems::new();
    let event = event::read(tape, line, expect, &mut problems);
    let mut found = event.as_ref().map(describe).unwrap_or_default();
    for problem in problems.list() {
        found.push_str(&format!("{} {problem}\n", problem.code.as_str()));
    }
    (event.map(|event| event.dialect()), found)
}

fn describe_line(dialect: Dialect, line: &str) -> String {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line.as_bytes(), Expect::Dialect(dialect), &mut problems);
    describe(&event.expect("a valid event is still one when written anew"))
}

/// Returns the facts of an event, what makes a repeat of it, and what it reports and where.
fn describe(event: &Event<'_>) -> String {
    let facts = event.facts();
    let mut text: String =
        facts.rows().iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    for key in [&facts.identity.own, &facts.identity.retry].into_iter().flatten() {
        text.push_str(&format!("{:?}\n", key.digest(facts.dialect)));
    }
    let report = event.report(&facts);
    text.push_str(&format!("{:?} at {:?}\n", mem::discriminant(&report.part), report.place));
    text
}

/// Returns the event as its typed record writes it; `None` for the old shapes, and where a whole number is too large for the record.
fn typed(event: &Event<'_>) -> Option<String> {
    let value = event.value();
    match event.dialect() {
        Dialect::Idle => typed_idle(value, &event.facts().event_type),
        Dialect::Collector => collector::Event::read(value).map(|event| event.to_line()),
        Dialect::Pinchy => pinchy::Event::read(value).map(|event| event.to_line()),
        Dialect::Engine => engine::Event::read(value).map(|event| event.to_line()),
        Dialect::Needle => needle::Event::read(value).map(|event| event.to_line()),
        Dialect::Weft => own::Event::read(value).map(|event| event.to_line()),
    }
}

fn typed_idle(value: Value<'_>, event_type: &str) -> Option<String> {
    match event_type {
        "STATE" => idle::State::read(value).map(|event| event.to_line()),
        "DONE" => idle::Done::read(value).map(|event| event.to_line()),
        "ABORT" => idle::Abort::read(value).map(|event| event.to_line()),
        "ANCHOR" => idle::Anchor::read(value).map(|event| event.to_line()),
        "topic" => idle::TopicRecord::read(value).map(|event| event.to_line()),
        "message" => idle::Message::read(value).map(|event| event.to_line()),
        "control.REQUEST" => idle::Request::read(value).map(|event| event.to_line()),
        "control.ACK" => idle::Ack::read(value).map(|event| event.to_line()),
        "control.RESULT" => idle::ControlResult::read(value).map(|event| event.to_line()),
        _ => idle::Trace::read(value).map(|event| event.to_line()),
    }
}

fn assert_same(value: Value<'_>, tree: &serde_json::Value) {
    match value.kind() {
        Kind::Null => assert!(tree.is_null()),
        Kind::True | Kind::False => assert_eq!(value.as_bool(), tree.as_bool()),
        Kind::Text | Kind::Key => assert_eq!(value.as_text().as_deref(), tree.as_str()),
        Kind::Number => assert_same_number(value, tree),
        Kind::Array => {
            let items = tree.as_array().expect("serde_json sees an array too");
            assert_eq!(value.items().count(), items.len());
            value.items().zip(items).for_each(|(item, tree)| assert_same(item, tree));
        }
        Kind::Object => {
            let members = tree.as_object().expect("serde_json sees an object too");
            assert_eq!(value.members().count(), members.len());
            for (key, member) in value.members() {
                let key = key.as_text().expect("a key is a string");
                assert_same(member, members.get(&*key).expect("serde_json has the key too"));
            }
        }
    }
}

/// Whole numbers are the same; of others `serde_json` may miss the last bits.
fn assert_same_number(value: Value<'_>, tree: &serde_json::Value) {
    if let Some(theirs) = tree.as_u64() {
        assert_eq!(value.as_u64(), Some(theirs));
    }
    if let Some(theirs) = tree.as_i64() {
        assert_eq!(value.as_i64(), Some(theirs));
    }
    let ours = value.as_f64().expect("the kind is a number");
    let theirs = tree.as_f64().expect("serde_json sees a number too");
    assert!((ours - theirs).abs() <= ours.abs() * 1e-15, "{ours} is not {theirs}");
}
