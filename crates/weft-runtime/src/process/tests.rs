//! Commands that end, hang, talk too much, and leave others behind.

use super::*;

const LIMITS: Limits = Limits { time: Duration::from_secs(20), output_bytes: 1000 };

fn sh(script: &str, heard: Heard, limits: Limits) -> Finished {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    run(command, heard, limits).expect("sh runs")
}

#[test]
fn what_is_printed_is_kept_in_order_with_the_code() {
    let both = sh("echo out; echo err >&2; echo again; exit 3", Heard::Together, LIMITS);
    assert_eq!(both.ending, Ending::Code(3));
    assert_eq!(both.output, b"out\nerr\nagain\n");
    let apart = sh("echo out; echo err >&2", Heard::Apart, LIMITS);
    assert_eq!(apart.ending, Ending::Code(0));
    assert_eq!((&apart.output[..], &apart.errors[..]), (&b"out\n"[..], &b"err\n"[..]));
    assert_eq!(sh("kill -TERM $$", Heard::Together, LIMITS).ending, Ending::Signal(15));
}

#[test]
fn the_beginning_and_the_end_of_much_are_kept() {
    let much = sh("echo first; seq 1 400000; echo last", Heard::Together, LIMITS);
    assert_eq!(much.output.len(), 1000);
    assert!(much.output.starts_with(b"first\n1\n2\n") && much.output.ends_with(b"400000\nlast\n"));
    let n_printed: u64 = (1..=400_000_u64).map(|n| n.to_string().len() as u64 + 1).sum();
    assert_eq!(much.n_bytes_cut, n_printed + 11 - 1000);
}

#[test]
fn what_hangs_is_killed_with_all_that_it_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let limits = Limits { time: Duration::from_millis(200), ..LIMITS };
    let script = format!("(sleep 1000; touch {}) & echo begun; wait", mark.display());
    let hung = sh(&script, Heard::Together, limits);
    assert_eq!(hung.ending, Ending::TimedOut);
    assert_eq!(hung.output, b"begun\n");
    assert!(hung.took < Duration::from_secs(10) && !mark.exists());
}

#[test]
fn what_is_left_running_holds_nothing_up() {
    let left = sh("sleep 1000 & echo done", Heard::Together, LIMITS);
    assert_eq!((left.ending, &left.output[..]), (Ending::Code(0), &b"done\n"[..]));
    assert!(left.took < Duration::from_secs(10));
}

#[test]
fn what_is_started_runs_meanwhile_and_ends_when_nobody_waits_for_it() {
    let mut command = Command::new("sh");
    command.args(["-c", "echo begun; exec sleep 1000"]);
    let mut running = start(command, Heard::Apart, LIMITS).expect("sh runs");
    let mut first = [0; 6];
    running.output.from.as_mut().expect("it prints").read_exact(&mut first).expect("it prints");
    assert_eq!(&first, b"begun\n");
    let group = running.group;
    drop(running);
    assert_eq!(kill_process_group(group, Signal::KILL), Err(Errno::SRCH));
}

#[test]
fn what_closes_its_outputs_is_waited_for_within_its_time() {
    let closed = sh("exec >&- 2>&-; exit 4", Heard::Apart, LIMITS);
    assert_eq!(closed.ending, Ending::Code(4));
    let limits = Limits { time: Duration::from_millis(100), ..LIMITS };
    assert_eq!(sh("exec >&- 2>&-; sleep 1000", Heard::Apart, limits).ending, Ending::TimedOut);
}
