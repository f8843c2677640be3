//! Secrets that were stored are taken out of every part of a store, which stays proven, and valid whenever it is interrupted.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use uuid::Uuid;
use weft_event::event::Expect;

use super::stored::is_anywhere;
use crate::admit::{Admitted, Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::disk::RealDisk;
use crate::log::{Batch, Durability, Log};
use crate::prune::{self, Reach};
use crate::recover::Finding;
use crate::redact::{ALL_SOURCES, Found, Mode, OwnRule, Part, Redaction, Report, Settings, Told};
use crate::redact::{Note, scan_store};
use crate::rejected::{Reason, Refusal, Rejected, Span, With};
use crate::snapshots::{SPACING, Snapshots};
use crate::spool::{self, Entry};
use crate::testing::{DAY_ONE_US, DAY_US, Scene, line, options};
use crate::verify::{self, Ask, Depth};
use crate::writer::Writer;
use crate::{Position, Store};

const SECRET: &str = "hunter2-and-more";

/// A store that was written before anybody looked for secrets: two days, the first archived, and one more of everything.
struct Careless {
    scene: Scene,
}

fn careless(store: &Store) -> Store {
    let settings = Settings { sources_off: vec![ALL_SOURCES.to_owned()], ..Settings::default() };
    store.clone().with_redaction(Redaction::new(settings).into())
}

fn admit(store: &Store, line: &str, which: Which) -> Admitted {
    let mut gate = Gate::new(&careless(store), which, Strictness::Lenient);
    let (line, expect, via) = (line.as_bytes(), Expect::Any, "hook");
    gate.admit(&Arrival { line, expect, via, delivery: None, topic: None }).unwrap()
}

fn with_secret(sequence: u64) -> String {
    line(sequence, &format!("PASSWORD={SECRET} make"))
}

impl Careless {
    fn new() -> Self {
        let scene = Scene::empty();
        let store = &scene.store;
        let large = format!("{}PASSWORD={SECRET} {}", "x ".repeat(50), "y ".repeat(4000));
        let large = line(5, &format!(r#"b","note":"{large}"#));
        let days = [
            vec![line(1, "b"), with_secret(2), line(3, "b")],
            vec![with_secret(4), large, line(6, "b")],
        ];
        let (mut writer, _) = Writer::open(RealDisk, store.root().to_owned(), DAY_ONE_US).unwrap();
        for (day, lines) in (0..).zip(&days) {
            let which = Which::AllFrom { bytes: 4096 };
            let entries: Vec<_> =
                lines.iter().map(|line| admit(store, line, which).entry).collect();
            writer.append(&entries, DAY_ONE_US + day * DAY_US).unwrap();
        }
        drop(writer);
        let ask = prune::Ask {
            reach: Reach::BeforeTime(DAY_ONE_US + DAY_US),
            mode: prune::Mode::Archive,
            holds: &[],
        };
        prune::run(store, &ask, &options(), &mut |_| {}).unwrap();
        let refusal = |bytes: Vec<u8>| Refusal {
            at_us: DAY_ONE_US,
            via: "http".to_owned(),
            origin: "request".to_owned(),
            with: With::default(),
            reasons: vec![Reason {
                code: "x".to_owned(),
                path: String::new(),
                message: "m".to_owned(),
            }],
            bytes,
        };
        let text = format!(r#"{{"password":"{SECRET}","#).into_bytes();
        let no_text = [&text[..], b"\xff"].concat();
        let file = [&text[..], &vec![b' '; 1 << 17]].concat();
        let refused = [text, no_text, file].map(refusal);
        Rejected::new(&careless(store)).put(&refused).unwrap();
        let snapshots = Snapshots::open(store, "test", SPACING).unwrap();
        snapshots.save(Position::FIRST, |out| out.write_all(SECRET.as_bytes())).unwrap();
        fs::create_dir_all(store.root().join("aside")).unwrap();
        fs::write(store.root().join("aside/torn"), format!("{}\nhalf", with_secret(9))).unwrap();
        Self { scene }
    }

    fn store(&self) -> &Store {
        &self.scene.store
    }
}

fn scan(store: &Store, mode: &Mode) -> (Report, Vec<Found>) {
    let mut all = Vec::new();
    let report = scan_store(store, mode, &mut |told| match told {
        Told::Found(found) => all.push(found),
        Told::Progress { .. } | Told::Replaced(_) => {}
    });
    (report.unwrap(), all)
}

fn verified(store: &Store) -> verify::Report {
    let ask = Ask { against: None, depth: Depth::Usual };
    let mut faults = Vec::new();
    let report = verify::verify(store, &ask, &mut |told| {
        if let verify::Told::Fault(fault) = told {
            faults.push(fault.to_string());
        }
    });
    let report = report.unwrap();
    assert_eq!(report.n_faults, report.n_index_faults, "{faults:?}");
    report
}

/// Returns whether a secret stands anywhere, also where it is compressed or in base64.
fn has_secret(store: &Store) -> bool {
    let log = store.log();
    let is_packed = fs::read_dir(&log).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.extension().is_some_and(|end| end == "zst")
            && zstd::decode_all(fs::File::open(&path).unwrap())
                .is_ok_and(|bytes| memchr::memmem::find(&bytes, SECRET.as_bytes()).is_some())
    });
    let rejected = Rejected::new(store);
    let kept = rejected.list(Span::default()).unwrap().kept();
    let is_refused = kept.map(Result::unwrap).any(|kept| {
        memchr::memmem::find(&rejected.bytes(&kept).unwrap(), SECRET.as_bytes()).is_some()
    });
    is_packed || is_refused || is_anywhere(store.root(), SECRET)
}

fn append(store: &Store, line: &str) {
    let log = Log::open(store.clone(), options(), &mut |_| {}).unwrap();
    let events = vec![admit(store, line, Which::Largest)];
    let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
    log.append(batch).unwrap();
    log.close().unwrap();
}

#[test]
fn secrets_are_found_in_every_part_and_nothing_is_changed() {
    let careless = Careless::new();
    let (report, found) = scan(careless.store(), &Mode::Look);
    let parts: Vec<_> = found
        .iter()
        .map(|found| (found.part, found.position.map(Position::get), found.rules.join(",")))
        .collect();
    let password = |part, position| (part, position, "password".to_owned());
    assert_eq!(
        parts,
        [
            password(Part::Blobs, None),
            password(Part::Log, Some(2)),
            password(Part::Log, Some(4)),
            password(Part::Log, Some(5)),
            (Part::Rejected, None, "password,password".to_owned()),
            password(Part::Rejected, None),
            password(Part::Aside, None),
        ]
    );
    assert_eq!((report.n_secrets, report.n_records, report.n_replaced), (8, 3, 0));
    assert!(has_secret(careless.store()));
    assert_eq!(verified(careless.store()).n_redacted, 0);
}

#[test]
fn secrets_are_taken_out_of_every_part_and_the_store_stays_proven() {
    let careless = Careless::new();
    let store = careless.store();
    let before = careless.scene.lines();
    let head = verified(store).head;
    scan(store, &Mode::Redact(options()));
    assert!(!has_secret(store));
    let report = verified(store);
    assert_eq!((report.n_redacted, report.n_faults), (3, 0));
    let ask = Ask { against: head, depth: Depth::Usual };
    assert_eq!(verify::verify(store, &ask, &mut |_| {}).unwrap().n_faults, 0);
    let after = careless.scene.lines();
    for ((position, was), (_, is)) in before.iter().zip(&after) {
        assert_eq!(was.len(), is.len());
        assert_eq!(was == is, ![2, 4, 5].contains(position), "{is}");
    }
    assert!(after[1].1.contains("PASSWORD=[redacted]****** make"), "{}", after[1].1);
    assert_eq!(after.iter().filter_map(|(_, line)| Note::read(line.as_bytes())).count(), 2);
    assert_eq!(scan(store, &Mode::Redact(options())).0, Report::default());
    append(store, &line(7, "b"));
    assert_eq!(verified(store).n_faults, 0);
}

#[test]
fn a_redacted_record_that_is_changed_is_damaged() {
    let careless = Careless::new();
    let store = careless.store();
    scan(store, &Mode::Redact(options()));
    let segment = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().contains("2026-01-02");
    let mut segments: Vec<_> =
        fs::read_dir(store.log()).unwrap().map(Result::unwrap).filter(segment).collect();
    segments.sort_by_key(fs::DirEntry::file_name);
    let path = segments[0].path();
    let text = fs::read_to_string(&path).unwrap().replacen("****** make", "****** fake", 1);
    fs::write(&path, text).unwrap();
    let ask = Ask { against: None, depth: Depth::Usual };
    let mut faults = Vec::new();
    verify::verify(store, &ask, &mut |told| {
        if let verify::Told::Fault(fault) = told {
            faults.push(fault.to_string());
        }
    })
    .unwrap();
    assert!(faults.iter().any(|fault| fault == "record 4 is lost"), "{faults:?}");
    // What stands beside it in the group is not lost with it.
    assert!(!faults.iter().any(|fault| fault.contains("record 5")), "{faults:?}");
}

#[test]
fn another_rule_redacts_what_was_redacted_before() {
    let careless = Careless::new();
    let store = careless.store();
    scan(store, &Mode::Redact(options()));
    let own = vec![OwnRule {
        name: "sessions".to_owned(),
        contains: "bead.cla".to_owned(),
        pattern: "bead.claimed".to_owned(),
    }];
    let redaction = Redaction::new(Settings { own, ..Settings::default() });
    let store = store.clone().with_redaction(redaction.into());
    let (report, _) = scan(&store, &Mode::Redact(options()));
    assert_eq!(report.n_records, 6);
    let report = verified(&store);
    assert_eq!((report.n_redacted, report.n_faults), (6, 0));
}

#[test]
fn a_head_that_a_power_cut_made_old_does_not_make_damage_of_a_redaction() {
    let scene = Scene::empty();
    let store = &scene.store;
    append(store, &line(1, "b"));
    let head = store.root().join("head");
    let old = fs::read(&head).unwrap();
    append(store, &with_secret(2));
    scan(store, &Mode::Redact(options()));
    fs::write(&head, old).unwrap();
    let log = Log::open(store.clone(), options(), &mut |_| {}).unwrap();
    let findings = log.take_findings();
    assert!(matches!(findings[..], [Finding::Revived { .. }]), "{findings:?}");
    log.close().unwrap();
    let report = verified(store);
    assert_eq!((report.n_redacted, report.n_faults), (1, 0));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &name),
            false => drop(fs::copy(&path, &name).unwrap()),
        }
    }
}

#[test]
fn killed_at_any_step_it_leaves_a_valid_store_and_is_completed_by_the_next() {
    let careless = Careless::new();
    let store = careless.store();
    let n_records = careless.scene.lines().len();
    let mut left: Vec<TempDir> = Vec::new();
    scan_store(store, &Mode::Redact(options()), &mut |_| {
        let folder = tempfile::tempdir().unwrap();
        copy(store.root(), folder.path());
        left.push(folder);
    })
    .unwrap();
    assert!(left.len() > 10, "{} steps", left.len());
    for folder in left {
        let store = Store::open(folder.path()).unwrap();
        // As it was left, and as whoever opens it next finds it.
        assert!(verified(&store).n_records >= n_records as u64);
        append(&store, &line(8, "b"));
        assert_eq!(verified(&store).n_faults, 0);
        scan(&store, &Mode::Redact(options()));
        assert!(!has_secret(&store));
        let report = verified(&store);
        assert_eq!((report.n_redacted, report.n_faults), (3, 0));
    }
}

#[test]
fn what_somebody_passed_off_as_a_record_of_weft_is_no_exception() {
    let scene = Scene::empty();
    let store = &scene.store;
    let own = |id: u64| {
        format!(
            r#"{{"weft":1,"type":"subscription.changed","id":"{id}","at":"2026-01-01T00:00:00Z","data":{{"name":"PASSWORD={SECRET}"}}}}"#
        )
    };
    let log = Log::open(store.clone(), options(), &mut |_| {}).unwrap();
    let admit = |(id, via)| {
        let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
        let (line, expect) = (own(id), Expect::Any);
        let arrival = Arrival { line: line.as_bytes(), expect, via, delivery: None, topic: None };
        gate.admit_own(&arrival).unwrap()
    };
    let events = [(1, "emit"), (2, "subscription"), (3, "ingest")].map(admit).into();
    log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced }).unwrap();
    log.close().unwrap();
    let (_, found) = scan(store, &Mode::Redact(options()));
    let found: Vec<_> = found.iter().map(|found| found.position.unwrap().get()).collect();
    assert_eq!(found, [1, 3]);
    let lines = scene.lines();
    assert!(!lines[0].1.contains(SECRET) && !lines[2].1.contains(SECRET), "{lines:?}");
    // Weft needs what it wrote for itself.
    assert_eq!(lines[1].1, own(2));
    assert_eq!((verified(store).n_redacted, verified(store).n_faults), (2, 0));
}

#[test]
fn prompts_and_what_waits_in_the_spool_are_looked_at_too() {
    let scene = Scene::empty();
    let store = &scene.store;
    let prompt = store.root().join("prompts/loop-1/prompt.txt");
    fs::create_dir_all(prompt.parent().unwrap()).unwrap();
    let told = format!("Deploy it.\nPASSWORD={SECRET} make\n");
    fs::write(&prompt, &told).unwrap();
    let line = with_secret(1);
    let (at_us, via, dialect) = (DAY_ONE_US, "hook".into(), None);
    let entry =
        Entry { at_us, via, id: Uuid::from_u128(1), dialect, topic: None, line: line.as_bytes() };
    spool::put(&careless(store), &entry).unwrap();
    let parts = |mode: &Mode| -> Vec<_> {
        let (_, found) = scan(store, mode);
        found.iter().map(|found| (found.part, found.rules.join(","))).collect()
    };
    let password = |part| (part, "password".to_owned());
    assert_eq!(parts(&Mode::Look), [password(Part::Prompts), password(Part::Spool)]);
    assert_eq!(fs::read_to_string(&prompt).unwrap(), told);
    assert_eq!(parts(&Mode::Redact(options())), [password(Part::Prompts)]);
    assert!(!has_secret(store));
    assert_eq!(fs::read_to_string(&prompt).unwrap().len(), told.len());
    assert!(scene.lines()[0].1.contains("[redacted"), "{:?}", scene.lines());
    assert_eq!(parts(&Mode::Look), []);
}
