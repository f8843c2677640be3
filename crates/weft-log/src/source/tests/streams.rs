//! Standard input and pipes: lines come when they are there, not when the stream ends.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Input, Mode, Options, Pick, Scene, Sources, Start, show_one};

/// Gives its chunks one by one, and counts how many were asked for.
struct Chunks {
    chunks: Vec<&'static [u8]>,
    n_asked: Arc<AtomicUsize>,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let chunk = self.chunks.get(self.n_asked.fetch_add(1, Ordering::Relaxed));
        chunk.copied().unwrap_or_default().read(buffer)
    }
}

fn stream(scene: &Scene, chunks: &[&'static [u8]]) -> (Sources, Arc<AtomicUsize>) {
    let n_asked = Arc::new(AtomicUsize::new(0));
    let bytes = Box::new(Chunks { chunks: chunks.to_vec(), n_asked: Arc::clone(&n_asked) });
    let inputs = vec![Input::Stream { name: "-".into(), bytes }];
    let store = scene.store.path().to_owned();
    let options = Options {
        store,
        mode: Mode::Once,
        start: Start::Checkpoint,
        pick: Pick::ALL,
        stop: Arc::default(),
    };
    (Sources::new(inputs, options).unwrap(), n_asked)
}

#[test]
fn lines_come_before_the_stream_is_asked_for_more() {
    let scene = Scene::new();
    let chunks: [&[u8]; 4] = [b"1\n2\n3", b"\n\0\0", b"\0", b"\n4"];
    let (mut sources, n_asked) = stream(&scene, &chunks);
    let mut shown = Vec::new();
    while let Some(batch) = sources.read().unwrap() {
        let lines: String = batch.arrived().map(|arrived| show_one(&arrived)).collect();
        shown.push(format!("after {}: {lines}", n_asked.load(Ordering::Relaxed)));
    }
    insta::assert_snapshot!(shown.join(""), @"
    after 1: -:1@0: 1
    -:2@2: 2
    after 4: -:3@4: 3
    -:4@6: NUL bytes before this line (3), as a crash leaves them
    after 5: -:5@10: 4<end>
    ");
}

#[test]
fn a_line_of_a_stream_has_an_id() {
    let scene = Scene::new();
    let (mut sources, _) = stream(&scene, &[b"{}\n{}\n"]);
    let batch = sources.read().unwrap().unwrap();
    let ids: Vec<_> = batch.arrived().filter_map(|arrived| arrived.delivery()).collect();
    assert_eq!(ids, ["stream:-@0", "stream:-@3"]);
}

#[test]
fn a_named_pipe_is_read_as_a_stream() {
    let scene = Scene::new();
    let pipe = scene.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let mut sources = scene.sources_of(&["pipe"], Mode::Once);
    let writing = std::thread::spawn(move || std::fs::write(pipe, "1\n2\n").unwrap());
    assert_eq!(scene.next_n(&mut sources, 2), "pipe:1@0: 1\npipe:2@2: 2\n");
    assert!(sources.read().unwrap().is_none());
    writing.join().unwrap();
}
