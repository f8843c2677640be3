//! Random lives of files against a model: no line is left out, none is garbled, and each has one delivery id.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;

use proptest::prelude::{Just, Strategy, prop, prop_oneof, proptest};
use proptest::test_runner::Config;
use weft_event::input::{Ending, Item};

use super::super::batch::Batch;
use super::{QUICK, Scene, Sources};

const NAMES: [&str; 3] = ["a.jsonl", "b.jsonl", "deep/c.jsonl"];

/// Something that a producer, a rotation or a user does.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Appends a line.
    Line(usize),
    /// Appends the first half of a line, or the second half of one that is begun.
    Half(usize),
    /// Renames the file to a name that is not read, and lets a new one begin.
    Rotate(usize),
    /// Renames the file to a name that is read, and lets a new one begin.
    Rename(usize),
    /// Writes the same and one line more to a new file, and puts that in place.
    Rewrite(usize),
    /// Cuts the file to nothing.
    Truncate(usize),
    /// Deletes the file.
    Delete(usize),
    /// Reads all there is.
    Read,
    /// Ends the process without settling the last batch, and starts another.
    Crash,
    /// Lets time pass for files that have lost their paths.
    Pass,
}

fn act() -> impl Strategy<Value = Act> {
    let file = 0..NAMES.len();
    prop_oneof![
        8 => file.clone().prop_map(Act::Line),
        3 => file.clone().prop_map(Act::Half),
        2 => file.clone().prop_map(Act::Rotate),
        1 => file.clone().prop_map(Act::Rename),
        1 => file.clone().prop_map(Act::Rewrite),
        1 => file.clone().prop_map(Act::Truncate),
        1 => file.prop_map(Act::Delete),
        4 => Just(Act::Read),
        2 => Just(Act::Crash),
        1 => Just(Act::Pass),
    ]
}

struct Model {
    scene: Scene,
    sources: Option<Sources>,
    n_lines: usize,
    n_renamed: usize,
    /// The lines that are whole in some file and must come.
    due: BTreeSet<String>,
    /// The lines begun at the end of a file.
    halves: HashMap<usize, String>,
    /// The ids each line came with.
    ids: BTreeMap<String, BTreeSet<String>>,
}

impl Model {
    fn new() -> Self {
        let scene = Scene::new();
        fs::create_dir(scene.path("deep")).unwrap();
        let sources = Some(scene.follow());
        let (due, halves, ids) = Default::default();
        Self { scene, sources, n_lines: 0, n_renamed: 0, due, halves, ids }
    }

    fn new_line(&mut self) -> String {
        self.n_lines += 1;
        format!("{{\"n\":{}}}", self.n_lines)
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Line(file) => {
                self.finish_half(file);
                let line = self.new_line();
                self.scene.append(NAMES[file], format!("{line}\n"));
                self.due.insert(line);
            }
            Act::Half(file) if self.halves.contains_key(&file) => self.finish_half(file),
            Act::Half(file) => {
                let line = self.new_line();
                self.scene.append(NAMES[file], &line[..4]);
                self.halves.insert(file, line);
            }
            Act::Rotate(file) => {
                let n = self.n_renamed;
                self.move_away(file, &format!("{}.{n}", NAMES[file]));
            }
            Act::Rename(file) => {
                let n = self.n_renamed;
                self.move_away(file, &format!("{n}.jsonl"));
            }
            Act::Rewrite(file) => self.rewrite(file),
            Act::Truncate(file) => {
                self.finish_half(file);
                self.read();
                if self.scene.path(NAMES[file]).exists() {
                    self.scene.write(NAMES[file], "");
                    // Seen empty: a file that has its old length again by the next look is another test's business.
                    self.read();
                }
            }
            Act::Delete(file) => {
                self.finish_half(file);
                self.read();
                if self.scene.path(NAMES[file]).exists() {
                    fs::remove_file(self.scene.path(NAMES[file])).unwrap();
                }
            }
            Act::Read => self.read(),
            Act::Crash => self.crash(),
            Act::Pass => (0..12).for_each(|_| self.read()),
        }
    }

    fn finish_half(&mut self, file: usize) {
        if let Some(line) = self.halves.remove(&file) {
            self.scene.append(NAMES[file], format!("{}\n", &line[4..]));
            self.due.insert(line);
        }
    }

    fn move_away(&mut self, file: usize, to: &str) {
        self.finish_half(file);
        if !self.scene.path(NAMES[file]).exists() {
            return;
        }
        // A file of which nothing was settled under its name cannot be known by another; what was settled may still have grown.
        self.act(Act::Line(file));
        self.read();
        self.act(Act::Line(file));
        self.n_renamed += 1;
        self.scene.rename(NAMES[file], to);
    }

    fn rewrite(&mut self, file: usize) {
        self.finish_half(file);
        self.read();
        if let Ok(text) = fs::read_to_string(self.scene.path(NAMES[file])) {
            let line = self.new_line();
            self.scene.write("new", format!("{text}{line}\n"));
            self.scene.rename("new", NAMES[file]);
            self.due.insert(line);
        }
    }

    /// Reads until nothing comes, and checks what came.
    fn read(&mut self) {
        let mut sources = self.sources.take().expect("it is there between acts");
        loop {
            let (batch, is_idle) = read_now(&mut sources);
            self.check(&batch);
            sources.settle(&batch).unwrap();
            if batch.is_empty() && is_idle {
                break;
            }
        }
        self.sources = Some(sources);
        assert_eq!(self.due, BTreeSet::new(), "lines that did not come");
    }

    fn check(&mut self, batch: &Batch) {
        for arrived in batch.arrived() {
            let Item::Line(line) = arrived.item else { panic!("{arrived:?}") };
            assert_eq!(line.ending, Ending::Newline, "{arrived:?}");
            let text = String::from_utf8(line.bytes.to_vec()).unwrap();
            let number = text.strip_prefix("{\"n\":").and_then(|rest| rest.strip_suffix('}'));
            let number: usize = number.expect("no line is garbled").parse().unwrap();
            assert!(number <= self.n_lines, "{text}");
            self.due.remove(&text);
            let ids = self.ids.entry(text).or_default();
            ids.insert(arrived.delivery().expect("a line has an id"));
            assert_eq!(ids.len(), 1, "{ids:?}");
        }
    }

    fn crash(&mut self) {
        let mut sources = self.sources.take().expect("it is there between acts");
        let (lost, _) = read_now(&mut sources);
        drop(lost);
        sources.finish().unwrap();
        self.sources = Some(self.scene.sources_of(&[""], QUICK));
    }
}

/// Reads what is there without waiting; returns whether nothing was left to look at.
fn read_now(sources: &mut Sources) -> (Batch, bool) {
    sources.look_around(usize::MAX);
    let mut batch = Batch::default();
    let mut n_tries = 0;
    while !sources.queue.is_empty() || n_tries == 0 {
        sources.fill(&mut batch);
        n_tries += 1;
        assert!(n_tries < 100, "it goes on for ever");
    }
    let is_first = !std::mem::replace(&mut sources.has_seen_all, true);
    if is_first {
        sources.files.forget_gone(sources.folders.roots());
    }
    (batch, !is_first)
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_line_is_left_out_garbled_or_named_twice(
        acts in prop::collection::vec(act(), 1..40),
    ) {
        let mut model = Model::new();
        acts.iter().for_each(|act| model.act(*act));
        for file in 0..NAMES.len() {
            model.finish_half(file);
        }
        model.read();
        let n_ids: BTreeSet<&String> = model.ids.values().flatten().collect();
        assert_eq!(n_ids.len(), model.ids.len(), "two lines with one id");
    }
}

#[test]
fn a_number_given_to_a_new_file_does_not_make_a_rewritten_one_a_rotated_one() {
    let mut model = Model::new();
    let acts = [Act::Half(2), Act::Rewrite(2), Act::Crash, Act::Line(0), Act::Read];
    acts.iter().for_each(|act| model.act(*act));
}
