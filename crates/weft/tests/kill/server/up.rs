//! `weft up` that is killed and started again, and where it is now.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::scene::Scene;

const KILL: i32 = 9;

/// How long a server may take to say that it is ready.
const READY_MAX: Duration = Duration::from_secs(60);

/// Where the server is that runs now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) http: String,
    pub(crate) socket: String,
}

/// Tells everybody where the server is.
#[derive(Default)]
pub(crate) struct Board {
    place: Mutex<Option<Place>>,
    changed: Condvar,
}

impl Board {
    /// Waits until there is a server, and returns where.
    pub(crate) fn place(&self) -> Place {
        let place = self.place.lock().unwrap();
        let (place, waited) =
            self.changed.wait_timeout_while(place, READY_MAX, |place| place.is_none()).unwrap();
        assert!(!waited.timed_out(), "no server came up");
        place.clone().unwrap()
    }

    fn tell(&self, place: Option<Place>) {
        *self.place.lock().unwrap() = place;
        self.changed.notify_all();
    }
}

/// A server that runs.
pub(crate) struct Up<'s> {
    child: Child,
    board: &'s Board,
}

impl<'s> Up<'s> {
    /// Starts a server. What it says of itself is in `up.log`.
    pub(crate) fn start(scene: &Scene, board: &'s Board) -> Self {
        let log = File::options().append(true).create(true).open(scene.path("up.log")).unwrap();
        let mut command = scene.weft(&["up", "--listen", "127.0.0.1:0"]);
        // Servers that live for a moment have to say in that moment how far their subscriptions are.
        command.env("WEFT_SUBSCRIPTIONS_ACKNOWLEDGE_EVERY", "50ms");
        Self { child: command.stderr(Stdio::from(log)).spawn().unwrap(), board }
    }

    /// Waits until it is ready, and tells where it is.
    pub(crate) fn ready(&mut self) {
        let mut lines = BufReader::new(self.child.stdout.take().unwrap()).lines();
        let mut take = |name: &str| {
            let line = lines.next().expect("a server starts").unwrap();
            line.strip_prefix(name).expect(&line).trim().to_owned()
        };
        let http = take("http").replace("http://", "");
        let socket = take("socket");
        self.board.tell(Some(Place { http, socket }));
    }

    /// Kills it.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.board.tell(None);
        let ended = self.child.wait().unwrap();
        assert_eq!(ended.signal(), Some(KILL), "it ended by itself: {ended}");
    }

    /// Ends it as a service manager does.
    pub(crate) fn end(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let ended = self.child.wait().unwrap();
        self.board.tell(None);
        ended
    }
}
