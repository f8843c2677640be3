//! A webhook's receiver that takes most events, and fails in every way with the others.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::draw::Draw;
use crate::server::delivered::Taken;

/// How long a delivery may take.
pub(crate) const TIMEOUT_MS: u64 = 300;

/// How late a late answer is.
const LATE: Duration = Duration::from_millis(400);

/// What becomes of a delivery.
enum Fate {
    Take,
    /// Takes it and answers when nobody waits any more.
    TakeLate,
    /// Takes it and hangs up instead of an answer.
    TakeInSilence,
    /// Takes it and breaks off in the middle of the answer.
    TakeHalf,
    Refuse(u16),
    HangUp,
}

/// A receiver on a port of its own. It ends with the process.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    taken: Arc<Mutex<Vec<Taken>>>,
}

impl Receiver {
    pub(crate) fn start(seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let dice = Arc::new(Mutex::new(Draw::new(seed, 1000)));
        let kept = Arc::clone(&taken);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, dice) = (Arc::clone(&kept), Arc::clone(&dice));
                // A connection ends when its server does.
                thread::spawn(move || drop(serve(stream.unwrap(), &kept, &dice)));
            }
        });
        Self { address, taken }
    }

    /// Returns what it has taken so far, in the order in which it came.
    pub(crate) fn taken(&self) -> Vec<Taken> {
        self.taken.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, taken: &Mutex<Vec<Taken>>, dice: &Mutex<Draw>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    loop {
        let Some(delivery) = receive(&mut stream)? else { return Ok(()) };
        let fate = fate(dice.lock().unwrap().below(100));
        match fate {
            Fate::Take | Fate::TakeLate | Fate::TakeInSilence | Fate::TakeHalf => {
                taken.lock().unwrap().push(delivery);
            }
            Fate::Refuse(_) | Fate::HangUp => {}
        }
        let answer = match fate {
            Fate::Take => "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_owned(),
            Fate::TakeLate => {
                thread::park_timeout(LATE);
                "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned()
            }
            Fate::TakeHalf => {
                stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no")?;
                return Ok(());
            }
            Fate::TakeInSilence | Fate::HangUp => return Ok(()),
            Fate::Refuse(status) => format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n"),
        };
        stream.get_mut().write_all(answer.as_bytes())?;
    }
}

fn fate(draw: u64) -> Fate {
    match draw {
        0..4 => Fate::Refuse(500),
        4 => Fate::Refuse(503),
        5 => Fate::Refuse(404),
        6 => Fate::HangUp,
        7 => Fate::TakeInSilence,
        8 => Fate::TakeHalf,
        9 => Fate::TakeLate,
        _ => Fate::Take,
    }
}

/// Reads a delivery; `None` if there is no more.
fn receive(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Taken>> {
    let (mut id, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value)) {
            Some((name, value)) if name == "weft-event-id" => id = Some(value.to_owned()),
            Some((name, value)) if name == "content-length" => length = value.parse().unwrap(),
            Some(_) | None => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let record = String::from_utf8(body).unwrap();
    Ok(Some(Taken::read(&id.unwrap(), &record)))
}
