//! NATS JetStream as the log: one file stream, every message synced before it is acknowledged. Speaks just enough of the protocol.

use std::fs;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// How long the server may take to be ready, and to answer.
const PATIENCE: Duration = Duration::from_secs(10);

const INBOX: &str = "_INBOX.weft";
const STREAM: &str =
    r#"{"name":"EV","subjects":["ev.>"],"storage":"file","retention":"limits","num_replicas":1}"#;

/// A server of our own with one stream.
pub(in crate::bench) struct JetStream {
    server: Child,
    reader: BufReader<TcpStream>,
    writer: BufWriter<TcpStream>,
}

impl JetStream {
    /// Starts a server; `None` if there is none on this machine.
    pub(in crate::bench) fn start(folder: &Path) -> anyhow::Result<Option<Self>> {
        fs::create_dir_all(folder)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = folder.join("nats.conf");
        let store = folder.join("store");
        let settings = format!(
            "listen: \"127.0.0.1:{port}\"\njetstream {{ store_dir: \"{}\", sync_interval: always }}\n",
            store.display()
        );
        fs::write(&config, settings)?;
        let mut command = Command::new("nats-server");
        command
            .arg("-c")
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut server = match command.spawn() {
            Ok(server) => server,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context("cannot start nats-server"),
        };
        match connect(port) {
            Ok(stream) => {
                let reader = BufReader::new(stream.try_clone()?);
                let mut started = Self { server, reader, writer: BufWriter::new(stream) };
                started.greet()?;
                Ok(Some(started))
            }
            Err(error) => {
                server.kill()?;
                server.wait()?;
                Err(error)
            }
        }
    }

    fn greet(&mut self) -> anyhow::Result<()> {
        let mut info = String::new();
        self.reader.read_line(&mut info)?;
        write!(
            self.writer,
            "CONNECT {{\"verbose\":false,\"pedantic\":false}}\r\nSUB {INBOX} 1\r\n"
        )?;
        self.publish_one("$JS.API.STREAM.CREATE.EV", STREAM.as_bytes())?;
        self.writer.flush()?;
        let answer = self.answer()?;
        if answer.contains("\"error\"") {
            bail!("nats-server refuses the stream: {answer}");
        }
        Ok(())
    }

    /// Publishes events with at most so many that are not acknowledged.
    pub(in crate::bench) fn publish(
        &mut self,
        events: &[String],
        in_flight_max: usize,
    ) -> anyhow::Result<()> {
        let mut n_acknowledged = 0;
        for (n_sent, event) in events.iter().enumerate() {
            if n_sent - n_acknowledged >= in_flight_max {
                self.writer.flush()?;
                self.acknowledged()?;
                n_acknowledged += 1;
            }
            self.publish_one("ev.bench", event.as_bytes())?;
        }
        self.writer.flush()?;
        while n_acknowledged < events.len() {
            self.acknowledged()?;
            n_acknowledged += 1;
        }
        Ok(())
    }

    fn publish_one(&mut self, subject: &str, body: &[u8]) -> io::Result<()> {
        write!(self.writer, "PUB {subject} {INBOX} {}\r\n", body.len())?;
        self.writer.write_all(body)?;
        self.writer.write_all(b"\r\n")
    }

    fn acknowledged(&mut self) -> anyhow::Result<()> {
        let answer = self.answer()?;
        if !answer.contains("\"seq\"") {
            bail!("nats-server refuses an event: {answer}");
        }
        Ok(())
    }

    /// Reads the next message to our inbox.
    fn answer(&mut self) -> anyhow::Result<String> {
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line)? == 0 {
                bail!("nats-server closed the connection");
            }
            let line = line.trim_end();
            if line == "PING" {
                self.writer.write_all(b"PONG\r\n")?;
                self.writer.flush()?;
            } else if let Some(message) = line.strip_prefix("MSG ") {
                let bytes = message.rsplit(' ').next().unwrap_or_default().parse::<usize>();
                let mut body = vec![0; bytes.context("nats-server speaks another protocol")? + 2];
                self.reader.read_exact(&mut body)?;
                return Ok(String::from_utf8_lossy(&body).into_owned());
            } else if line.starts_with("-ERR") {
                bail!("nats-server says {line}");
            }
        }
    }
}

fn connect(port: u16) -> anyhow::Result<TcpStream> {
    let until = Instant::now() + PATIENCE;
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                return Ok(stream);
            }
            Err(error) if Instant::now() >= until => {
                return Err(error).context("nats-server is not ready");
            }
            Err(_) => std::thread::park_timeout(Duration::from_millis(20)),
        }
    }
}

impl Drop for JetStream {
    fn drop(&mut self) {
        // It is ours alone, and its folder goes with it.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
