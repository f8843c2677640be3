//! Every limit of the server, by name.

use std::time::Duration;

/// What a server takes at most. At a limit the client is told which one it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body, after it was decompressed.
    pub body_bytes_max: usize,
    /// Events of one request.
    pub request_events_max: usize,
    /// Bytes of events that wait to be written.
    pub queue_bytes_max: usize,
    /// How long a request waits for room in the queue before it is told to come again.
    pub queue_patience: Duration,
    /// HTTP connections that are open at a time on one address; more wait to be accepted.
    pub connections_max: usize,
    /// How long a client may take to send its request.
    pub request_patience: Duration,
    /// Streams that are open at a time.
    pub streams_max: usize,
    /// Bytes that wait for a reader of a stream before it is dropped.
    pub stream_bytes_max: usize,
    /// How often a quiet stream is told that it is alive.
    pub heartbeat: Duration,
    /// Records of one page.
    pub page_records_max: usize,
    /// Bytes of recent records that are kept in memory for streams and subscriptions.
    pub recent_bytes_max: usize,
    /// Queries that read the disk at a time.
    pub reads_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 16 << 20,
            request_events_max: 50_000,
            queue_bytes_max: 64 << 20,
            queue_patience: Duration::from_secs(2),
            connections_max: 12_000,
            request_patience: Duration::from_secs(30),
            streams_max: 10_000,
            stream_bytes_max: 1 << 20,
            heartbeat: Duration::from_secs(15),
            page_records_max: 1000,
            recent_bytes_max: 16 << 20,
            reads_max: 16,
        }
    }
}
