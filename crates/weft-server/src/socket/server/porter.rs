//! The thread at the socket: it lets clients in, writes a few events on the spot, and tells a hook what the log says of a loop.
//!
//! A hook connects, asks once and is gone, and its agent waits for it. Through a task and the writer's thread that takes three
//! wake-ups, one after the other, which cost more than the write; here it is one. What is asked besides, or while the writer is busy,
//! is handed over to a task with all that was said.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::sync::mpsc;
use weft_event::json::Tape;
use weft_log::log::{self, Durability};

use super::append::{self, Judged, Verdict};
use super::connection::{Greeted, Place};
use super::{SMALL_BYTES_MAX, Shared};
use crate::metrics::Marks;
use crate::socket::PROTOCOL;
use crate::socket::answer::{Answer, Failure, Hello};
use crate::socket::frame::Decoder;
use crate::socket::read::briefing_soon;
use crate::socket::request::{self, LoopAsk, Request};
use crate::writer::WriteFailure;

/// Clients that are here at a time, and as many that wait to be handed over.
pub(super) const VISITORS_MAX: usize = 64;

/// How long a client may say nothing before it is handed over.
const STAY: Duration = Duration::from_millis(20);

/// How long nobody is let in after it could not be done, as when there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A client that is here.
pub(super) struct Visitor {
    pub(super) stream: UnixStream,
    pub(super) greeted: Greeted,
    /// What it said and was not answered.
    pub(super) said: Vec<u8>,
    /// What came of it at the gate, if it went through there: nothing goes twice.
    pub(super) judged: Option<Judged>,
    /// What is left to be sent.
    pub(super) unsent: Vec<u8>,
    pub(super) place: Place,
    /// Since when it says nothing.
    since: Instant,
}

/// What a client that was listened to wants.
enum Wants {
    /// Nothing yet.
    Nothing,
    /// To have this appended.
    Append(Judged),
    /// To be told of a loop.
    Loop(LoopAsk),
    /// What a task has to see to.
    More,
    /// It is gone.
    Gone,
}

/// The thread at the socket.
pub(super) struct Porter {
    listener: UnixListener,
    shared: Arc<Shared>,
    hand_over: mpsc::Sender<Visitor>,
    visitors: Vec<Visitor>,
    piece: Vec<u8>,
}

impl Porter {
    /// Returns the one at a socket, which must not block.
    pub(super) fn new(
        listener: UnixListener,
        shared: Arc<Shared>,
        hand_over: mpsc::Sender<Visitor>,
    ) -> Self {
        let (visitors, piece) = (Vec::new(), vec![0; SMALL_BYTES_MAX]);
        Self { listener, shared, hand_over, visitors, piece }
    }

    /// Lets clients in until the other end of `watched` is closed.
    pub(super) fn run(mut self, watched: &UnixStream) {
        while self.wait(watched) {
            self.let_in(watched);
            self.listen();
            for visitor in self.visitors.extract_if(.., |it| it.since.elapsed() >= STAY) {
                send(&self.hand_over, visitor);
            }
        }
        for visitor in self.visitors {
            send(&self.hand_over, visitor);
        }
    }

    /// Waits for something to do; returns whether anybody may still come in.
    fn wait(&self, watched: &UnixStream) -> bool {
        let mut on = vec![PollFd::new(watched, PollFlags::IN)];
        if self.visitors.len() < VISITORS_MAX {
            on.push(PollFd::new(&self.listener, PollFlags::IN));
        }
        on.extend(self.visitors.iter().map(|it| PollFd::new(&it.stream, PollFlags::IN)));
        let stay = (!self.visitors.is_empty()).then_some(STAY);
        is_open(&mut on, stay)
    }

    /// Lets in who waits outside.
    fn let_in(&mut self, watched: &UnixStream) {
        while self.visitors.len() < VISITORS_MAX {
            match self.listener.accept() {
                Ok((stream, _)) => self.welcome(stream),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection to the socket");
                    is_open(&mut [PollFd::new(watched, PollFlags::IN)], Some(ACCEPT_PAUSE));
                    return;
                }
            }
        }
    }

    fn welcome(&mut self, stream: UnixStream) {
        if let Err(error) = stream.set_nonblocking(true) {
            tracing::warn!(%error, "cannot serve a connection to the socket");
            return;
        }
        let place = Arc::clone(&self.shared.connections).try_acquire_owned().ok();
        let is_served = place.is_some() && is_own(&stream);
        let (said, judged, unsent) = (Vec::new(), None, Vec::new());
        let (greeted, since) = (Greeted::Not, Instant::now());
        let visitor = Visitor { stream, greeted, said, judged, unsent, place, since };
        match is_served {
            true => self.visitors.push(visitor),
            // Which tells it why not.
            false => send(&self.hand_over, visitor),
        }
    }

    /// Hears what clients have to say, and does it.
    fn listen(&mut self) {
        let (mut asking, mut wondering) = (Vec::new(), Vec::new());
        for mut visitor in std::mem::take(&mut self.visitors) {
            match self.hear(&mut visitor) {
                Wants::Nothing => self.visitors.push(visitor),
                Wants::Append(judged) => asking.push((visitor, judged)),
                Wants::Loop(ask) => wondering.push((visitor, ask)),
                Wants::More => send(&self.hand_over, visitor),
                Wants::Gone => {}
            }
        }
        if !asking.is_empty() {
            self.append(asking);
        }
        for (mut visitor, ask) in wondering {
            match briefing_soon(self.shared.core.store(), &ask) {
                Some(answer) => {
                    visitor.say(self.shared.core.store_id(), &answer);
                    self.keep(visitor);
                }
                // A task has the time.
                None => send(&self.hand_over, visitor),
            }
        }
    }

    /// Lets a client stay that was answered, if it has taken the answer.
    fn keep(&mut self, visitor: Visitor) {
        match visitor.unsent.is_empty() {
            true => self.visitors.push(visitor),
            false => send(&self.hand_over, visitor),
        }
    }

    fn hear(&mut self, visitor: &mut Visitor) -> Wants {
        match visitor.stream.read(&mut self.piece) {
            Ok(0) if visitor.said.is_empty() => Wants::Gone,
            Ok(n) => {
                visitor.said.extend_from_slice(&self.piece[..n]);
                match asked(visitor, &self.shared) {
                    Some(Asked::Append(judged)) if is_plain(&judged) => Wants::Append(judged),
                    Some(Asked::Append(judged)) => {
                        visitor.judged = Some(judged);
                        Wants::More
                    }
                    Some(Asked::Loop(ask)) => Wants::Loop(ask),
                    None => Wants::More,
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Wants::Nothing,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Wants::Nothing,
            Err(_) => Wants::Gone,
        }
    }

    /// Appends what they ask for together, and tells each.
    fn append(&mut self, asking: Vec<(Visitor, Judged)>) {
        let (mut visitors, mut batches, mut rests) = (Vec::new(), Vec::new(), Vec::new());
        for (visitor, Judged { batch, patience, verdicts, refusals }) in asking {
            visitors.push(visitor);
            batches.push(batch);
            rests.push((patience, verdicts, refusals));
        }
        let (store_id, counters) = (self.shared.core.store_id(), self.shared.core.counters());
        let (marks, began): (Vec<Marks>, _) =
            (batches.iter().map(Marks::of).collect(), Instant::now());
        let told = self.shared.core.appender().append_here(batches, |answers| {
            let took = began.elapsed();
            let asked = visitors.iter_mut().zip(&mut rests).zip(&marks);
            for (((visitor, rest), marks), answer) in asked.zip(answers) {
                let answer = answer.map_err(WriteFailure::from);
                counters.answered(took, &answer);
                answer.iter().for_each(|answer| counters.stored(marks, &answer.outcomes));
                visitor.tell(store_id, std::mem::take(&mut rest.1), answer);
            }
        });
        if let Err(batches) = told {
            let back = visitors.into_iter().zip(batches).zip(rests);
            for ((mut visitor, batch), (patience, verdicts, refusals)) in back {
                visitor.judged = Some(Judged { batch, patience, verdicts, refusals });
                send(&self.hand_over, visitor);
            }
            return;
        }
        for visitor in visitors {
            self.keep(visitor);
        }
    }
}

impl Visitor {
    /// Tells what became of its events. What it does not take at once is left to be sent.
    fn tell(
        &mut self,
        store_id: &str,
        verdicts: Vec<Verdict>,
        answer: Result<log::Answer, WriteFailure>,
    ) {
        self.say(store_id, &append::answer(verdicts, answer));
    }

    /// Says something, and before the first time who this is.
    fn say(&mut self, store_id: &str, answer: &Answer) {
        let mut out = Vec::new();
        let hello = match std::mem::replace(&mut self.greeted, Greeted::Both) {
            Greeted::Not => Hello::ours(store_id).encode(&mut out),
            Greeted::Both => Ok(()),
        };
        hello.expect("a hello is small");
        if let Err(error) = answer.encode(&mut out) {
            let failure = Answer::Failed(Failure::Store { message: error.to_string() });
            failure.encode(&mut out).expect("why not is small");
        }
        self.said.clear();
        self.since = Instant::now();
        // One that is gone shows as such to whoever sends it the rest.
        let n_sent = self.stream.write(&out).unwrap_or(0);
        self.unsent = out.split_off(n_sent);
    }
}

/// Returns whether it can be appended on the spot, with nothing else to be done about it.
fn is_plain(Judged { batch, refusals, .. }: &Judged) -> bool {
    refusals.is_empty() && batch.durability == Durability::Synced && !batch.events.is_empty()
}

/// What is done on the spot.
enum Asked {
    Append(Judged),
    Loop(LoopAsk),
}

/// Returns what a client asks for; `None` if that is not all it says, if it cannot be judged, or if a task sees to it.
fn asked(visitor: &Visitor, shared: &Shared) -> Option<Asked> {
    let mut decoder = Decoder::default();
    decoder.feed(&visitor.said);
    if visitor.greeted == Greeted::Not {
        let hello = request::Hello::decode(&decoder.take().ok()??).ok()?;
        (hello.protocol == PROTOCOL).then_some(())?;
    }
    let frame = decoder.take().ok()??;
    decoder.is_empty().then_some(())?;
    let mut tape = Tape::new();
    match Request::decode(&mut tape, &frame).ok()? {
        Request::Append(_) => {
            append::judge(&frame, shared.core.store(), shared.core.limits()).ok().map(Asked::Append)
        }
        Request::Loop(ask) => Some(Asked::Loop(ask)),
        Request::Page(_)
        | Request::Get(_)
        | Request::Tail(_)
        | Request::Settle
        | Request::Status
        | Request::Stop => None,
    }
}

/// Waits for one of these, the first of which says that it is over; returns whether it is not.
fn is_open(on: &mut [PollFd<'_>], patience: Option<Duration>) -> bool {
    let patience = patience.map(|it| Timespec::try_from(it).expect("it is short"));
    match poll(on, patience.as_ref()) {
        Ok(_) => on[0].revents().is_empty(),
        Err(Errno::INTR) => true,
        Err(error) => {
            tracing::error!(%error, "the socket cannot be served any more");
            false
        }
    }
}

fn send(hand_over: &mpsc::Sender<Visitor>, visitor: Visitor) {
    // Nobody takes it over when the server has ended, and then it is hung up on.
    drop(hand_over.blocking_send(visitor));
}

/// Returns whether the other end is known to be a process of our own user.
#[cfg(target_os = "linux")]
fn is_own(stream: &UnixStream) -> bool {
    let peer = rustix::net::sockopt::socket_peercred(stream);
    peer.is_ok_and(|peer| peer.uid == rustix::process::getuid())
}

/// Returns whether the other end is known to be a process of our own user: a task can tell here.
#[cfg(not(target_os = "linux"))]
fn is_own(_stream: &UnixStream) -> bool {
    false
}
