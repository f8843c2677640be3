//! Every limit of the server, by name.

use std::time::Duration;

/// What a server takes at most. At a limit the client is told which one it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body, after it was decompressed.
    pub body_bytes_max: usize,
    /// Bytes of all requests' bodies that are in memory at a time.
    pub bodies_bytes_max: usize,
    /// Connections that are open at a time.
    pub connections_max: usize,
    /// Events of one request.
    pub request_events_max: usize,
    /// Bytes of events that wait to be written.
    pub queue_bytes_max: usize,
    /// How long a request waits for room in the queue before it is told to come again.
    pub queue_patience: Duration,
    /// How long a client may take to send its request.
    pub request_patience: Duration,
    /// Streams that are open at a time.
    pub streams_max: usize,
    /// Bytes that are made ready for a reader of a stream at a time; what it has not asked for yet stays on disk.
    pub stream_bytes_max: usize,
    /// How long a client may leave what it was sent before it is broken off.
    pub reader_patience: Duration,
    /// How often a quiet stream is told that it is alive.
    pub heartbeat: Duration,
    /// Records of one page.
    pub page_records_max: usize,
    /// Bytes of the events of one page; it ends early where they are more.
    pub page_bytes_max: usize,
    /// Bytes of recent records that are kept in memory for streams and subscriptions.
    pub recent_bytes_max: usize,
    /// Queries that read the disk at a time.
    pub reads_max: usize,
    /// Records that the index may lack while the server calls itself ready.
    pub index_lag_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 16 << 20,
            bodies_bytes_max: 256 << 20,
            connections_max: 12_000,
            request_events_max: 50_000,
            queue_bytes_max: 64 << 20,
            queue_patience: Duration::from_secs(2),
            request_patience: Duration::from_secs(30),
            streams_max: 10_000,
            stream_bytes_max: 256 << 10,
            reader_patience: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
            page_records_max: 1000,
            page_bytes_max: 16 << 20,
            recent_bytes_max: 16 << 20,
            reads_max: 16,
            index_lag_max: 100_000,
        }
    }
}
