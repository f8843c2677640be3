//! Every limit of the server, by name.

use std::time::Duration;

/// What a server takes at most. At a limit the client is told which one it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body, after it was decompressed.
    pub body_bytes_max: usize,
    /// Bytes of all requests' bodies that are in memory at a time.
    pub bodies_bytes_max: usize,
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
    /// Bytes that are made ready for a reader of a stream at a time; what it has not asked for yet stays on disk.
    pub stream_bytes_max: usize,
    /// How long a client may leave what it was sent before it is broken off.
    pub reader_patience: Duration,
    /// How often a quiet stream is told that it is alive.
    pub heartbeat: Duration,
    /// Records of one page.
    pub page_records_max: usize,
    /// Rows of one page of a view.
    pub page_rows_max: usize,
    /// Bytes of the events or rows of one page; it ends early where they are more.
    pub page_bytes_max: usize,
    /// Bytes of all answers with records that are being read or wait to be taken at a time.
    pub answers_bytes_max: usize,
    /// Bytes of recent records that are kept in memory for streams and subscriptions.
    pub recent_bytes_max: usize,
    /// Queries that read the disk at a time.
    pub reads_max: usize,
    /// Records that the index may lack while the server calls itself ready.
    pub index_lag_max: u64,
    /// What subscriptions take.
    pub subscriptions: SubscriptionLimits,
}

/// What subscriptions take at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionLimits {
    /// How many there are.
    pub subscriptions_max: usize,
    /// Events of one that are held in memory: under way, failing, or behind those. Beyond that the log is not read on.
    pub held_max: usize,
    /// Bytes of them.
    pub held_bytes_max: usize,
    /// How often the position of one is written while it moves.
    pub acknowledge_every: Duration,
    /// Positions that do not match before the position is written although nothing was delivered.
    pub skipped_max: u64,
    /// Dead letters of one. Beyond that it is paused.
    pub dead_max: usize,
    /// Requests for the events of one that wait at a time.
    pub pulls_max: usize,
    /// Events that one such request is given.
    pub pull_events_max: usize,
    /// How long one such request waits.
    pub pull_patience_max: Duration,
    /// Bytes of the events whose large values are put back that are under way at a time, of all subscriptions. A larger one goes alone.
    pub restored_bytes_max: usize,
    /// How long deliveries under way are waited for at the end of a subscription or the server. The server as a whole waits longer.
    pub end_patience: Duration,
}

impl Default for SubscriptionLimits {
    fn default() -> Self {
        Self {
            subscriptions_max: 100,
            held_max: 4096,
            held_bytes_max: 8 << 20,
            acknowledge_every: Duration::from_secs(1),
            skipped_max: 100_000,
            dead_max: 10_000,
            pulls_max: 64,
            pull_events_max: 1000,
            pull_patience_max: Duration::from_secs(60),
            restored_bytes_max: 64 << 20,
            end_patience: Duration::from_secs(3),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 16 << 20,
            bodies_bytes_max: 256 << 20,
            request_events_max: 50_000,
            queue_bytes_max: 64 << 20,
            queue_patience: Duration::from_secs(2),
            connections_max: 12_000,
            request_patience: Duration::from_secs(30),
            streams_max: 10_000,
            stream_bytes_max: 256 << 10,
            reader_patience: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
            page_records_max: 1000,
            page_rows_max: 10_000,
            page_bytes_max: 16 << 20,
            answers_bytes_max: 256 << 20,
            recent_bytes_max: 16 << 20,
            reads_max: 16,
            index_lag_max: 100_000,
            subscriptions: SubscriptionLimits::default(),
        }
    }
}
