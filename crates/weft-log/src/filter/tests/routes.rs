//! The short ways of the index against its long one: whatever a filter demands, the records and their order are those that a
//! look at every record gives.

use std::cell::OnceCell;

use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest,
};
use proptest::sample::select;
use proptest::test_runner::TestCaseError;

use super::made_up::{meta, tree};
use super::{now_ns, with_subject};
use crate::filter::{Demands, Filter, SqlValue as FilterValue};
use crate::index::{Entry, Follower, Index, Order, Place, Reader, Select, SqlValue, Watermark};
use crate::{Hash, Meta, Position};

const STORE: &str = "a store";
/// Where the records are: runs of every level, rows, and blocks with holes between them.
const RANGES: [(u64, u64); 6] = [
    (1, 700),
    (2_000, 2_300),
    (16_300, 16_500),
    (130_900, 131_200),
    (1_048_400, 1_049_000),
    (1_050_500, 1_050_900),
];
/// These are gone.
const PRUNED: (u64, u64) = (1, 300);
/// These were replaced by others.
const REPLACED: [(u64, u64); 3] = [(600, 650), (1_048_500, 1_048_600), (1_050_800, 1_050_900)];

/// An index with records in it, and what to ask it for.
struct Scene {
    _folder: tempfile::TempDir,
    reader: Reader,
    /// Filters that some records match.
    terms: Vec<String>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        let mut index = Index::open(&path, STORE).unwrap();
        let mut events = weft_event::sample::events(7);
        let mut next = || events.next().expect("there is no end of made-up events");
        for (first, last) in RANGES {
            let lines: Vec<String> = (first..=last).map(|_| next()).collect();
            add(&mut index, first, &lines);
        }
        for (first, last) in REPLACED {
            let lines: Vec<String> = (first..=last).map(|_| next()).collect();
            add(&mut index, first, &lines);
        }
        index.prune(position(PRUNED.0), position(PRUNED.1)).unwrap();
        drop(index);
        let reader = Reader::open(&path).unwrap();
        let terms = terms(&reader);
        Self { _folder: folder, reader, terms }
    }

    /// Returns the positions found for a filter.
    fn find(&self, filter: &Filter, question: &Question, way: Way) -> Vec<u64> {
        let plan = filter.plan();
        let text = self.reader.watermark(Follower::Text).unwrap().position;
        let params: Vec<SqlValue> = plan.params.iter().map(|value| param(value, text)).collect();
        let range = position(question.first)..=position(question.last);
        let select = Select { condition: &plan.sql, params: &params, range };
        let demands = match way {
            Way::Short => &plan.demands,
            Way::Long => &Demands::NONE,
        };
        let rows = self.reader.rows_with(demands, &select, question.order, question.limit).unwrap();
        rows.iter().map(|row| row.found.position.get()).collect()
    }
}

#[derive(Clone, Copy)]
enum Way {
    Short,
    Long,
}

#[derive(Clone, Debug)]
struct Question {
    first: u64,
    last: u64,
    order: Order,
    limit: usize,
}

fn position(number: u64) -> Position {
    Position::new(number).unwrap()
}

fn param(value: &FilterValue, text: u64) -> SqlValue {
    match value {
        FilterValue::Text(text) => SqlValue::Text(text.clone()),
        FilterValue::Integer(number) => SqlValue::Integer(*number),
        FilterValue::Real(number) => SqlValue::Real(*number),
        FilterValue::TextWatermark => SqlValue::Integer(text as i64),
    }
}

/// Adds records from a position on; the watermark stays where it is if it is further.
fn add(index: &mut Index, first: u64, lines: &[String]) {
    let metas: Vec<Meta> = lines
        .iter()
        .zip(first..)
        .map(|(line, number)| {
            let meta = |dialect| Meta {
                position: position(number),
                ..meta(number as usize % 900, dialect)
            };
            with_subject(line, meta, |subject| subject.meta.clone())
        })
        .collect();
    let place = Place { segment: 1, offset: 0, bytes: 1 };
    let entry = |(line, meta)| -> Entry<'_> {
        let (line, meta): (&String, _) = (line, meta);
        Entry { meta, place, line: line.as_bytes() }
    };
    let entries: Vec<Entry<'_>> = lines.iter().zip(&metas).map(entry).collect();
    for some in entries.chunks(100) {
        let last = some[some.len() - 1].meta.position.get();
        let upto = last.max(index.watermark(Follower::Core).position);
        let upto = Watermark { position: upto, segment: 1, offset: upto, hash: Hash::ZERO };
        index.add(some, &[], upto).unwrap();
    }
}

/// Returns conditions with values that records have, some rare and some common.
fn terms(reader: &Reader) -> Vec<String> {
    let mut terms = Vec::new();
    for column in ["trace", "task", "session", "actor", "type", "topic"] {
        let sql = format!(
            "SELECT {column} FROM (SELECT {column}, count(*) AS n FROM events WHERE {column} IS NOT NULL \
             GROUP BY 1 ORDER BY n DESC, 1) WHERE n < 3 OR n > 20 LIMIT 12"
        );
        let term = |_: &[String], row: &[SqlValue]| {
            if let SqlValue::Text(text) = &row[0] {
                terms.push(format!("{column}={text:?}"));
            }
            std::ops::ControlFlow::Continue(())
        };
        reader.sql(&sql, term).unwrap();
    }
    let times = ["2026-03-02T08:00:30Z", "2026-03-02T08:02Z", "30s", "10m"];
    for time in times {
        terms.extend(["time>=", "time<", "since:", "until:"].map(|ask| format!("{ask}{time}")));
    }
    terms.extend(
        ["type=bead.*", "type=*ed", "actor=@*", "type~^tool", "level>=warn"].map(str::to_owned),
    );
    terms
}

thread_local! {
    static SCENE: OnceCell<Scene> = const { OnceCell::new() };
}

fn question() -> impl Strategy<Value = Question> {
    let ends: Vec<u64> = RANGES.iter().flat_map(|(first, last)| [*first, *last]).collect();
    let end = || prop_oneof![select(ends.clone()), 1..1_051_000_u64, Just(1), Just(u64::MAX)];
    let order = select(vec![Order::Ascending, Order::Descending]);
    let limit = prop_oneof![1..4_usize, Just(50), Just(10_000)];
    (end(), end(), order, limit).prop_map(|(a, b, order, limit)| Question {
        first: a.min(b),
        last: a.max(b),
        order,
        limit,
    })
}

fn check(scene: &Scene, text: &str, question: &Question) -> Result<(), TestCaseError> {
    let filter = Filter::parse(text, now_ns()).unwrap();
    let short = scene.find(&filter, question, Way::Short);
    prop_assert_eq!(short, scene.find(&filter, question, Way::Long), "{} {:?}", filter, question);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn short_ways_lead_to_what_the_long_one_does(
        picks in proptest::collection::vec((any::<proptest::sample::Index>(), 0..4_u8), 1..4),
        tree in proptest::option::of(tree()),
        question in question(),
    ) {
        SCENE.with(|scene| {
            let scene = scene.get_or_init(Scene::new);
            let mut text = tree.map(|tree| format!("({})", tree.text())).unwrap_or("*".to_owned());
            for (pick, how) in picks {
                let term = pick.get(&scene.terms);
                text = match how {
                    0 => format!("({text}) or {term}"),
                    _ => format!("({text}) {term}"),
                };
            }
            check(scene, &text, &question)
        })?;
    }
}

#[test]
fn every_single_demand_finds_all_that_there_is() {
    let scene = Scene::new();
    let whole = |order| Question { first: 1, last: u64::MAX, order, limit: 10_000 };
    let mut n_found = 0;
    for term in &scene.terms {
        for order in [Order::Ascending, Order::Descending] {
            check(&scene, term, &whole(order)).unwrap();
        }
        let filter = Filter::parse(term, now_ns()).unwrap();
        n_found +=
            usize::from(!scene.find(&filter, &whole(Order::Ascending), Way::Short).is_empty());
    }
    assert!(n_found > scene.terms.len() / 2, "{n_found} of {}", scene.terms.len());
}

#[test]
fn what_an_expression_demands_of_all_its_matches() {
    let demands = |text: &str| {
        let demands = Filter::parse(text, now_ns()).unwrap().plan().demands;
        let Demands { traces, tasks, actors, types, time_min_ns, time_max_ns, is_looked_up } =
            demands;
        let mut parts = Vec::new();
        parts.extend(traces.map(|traces| format!("traces {traces:?}")));
        parts.extend(tasks.map(|tasks| format!("tasks {tasks:?}")));
        parts.extend(actors.map(|actors| format!("actors {actors:?}")));
        parts.extend(types.map(|types| format!("types {types:?}")));
        parts.extend((time_min_ns > i64::MIN).then(|| format!("from {time_min_ns}")));
        parts.extend((time_max_ns < i64::MAX).then(|| format!("to {time_max_ns}")));
        parts.extend(is_looked_up.then(|| "looked up".to_owned()));
        parts.join(", ")
    };
    insta::assert_snapshot!(demands("trace=a task=b actor=c type=d.*"), @r#"traces ["a"], tasks ["b"], actors [Is("c")], types [Like("d.*")]"#);
    insta::assert_snapshot!(demands("trace=a or trace=b"), @r#"traces ["a", "b"]"#);
    insta::assert_snapshot!(demands("trace=a or task=b"), @"");
    insta::assert_snapshot!(demands("type=a or (type~b actor=c)"), @r#"types [Is("a"), Matches("b")]"#);
    insta::assert_snapshot!(demands("-trace=a -actor=b -since:1h"), @"");
    insta::assert_snapshot!(demands("since:2h until:1h (time<1h or time=2h)"), @"from 1794736800000000000, to 1794740400000000000");
    insta::assert_snapshot!(demands("session=a* actor=b"), @r#"actors [Is("b")], looked up"#);
    insta::assert_snapshot!(demands("session=a or actor=b"), @"");
    insta::assert_snapshot!(demands("disk full"), @"looked up");
    insta::assert_snapshot!(demands(".data.bead_id=bd-42"), @"looked up");
    insta::assert_snapshot!(demands("-*"), @"");
}
