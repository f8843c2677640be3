//! What the night is about: the tasks, decisions, failures and words of a team that builds *harbor*, a service that tracks parcels.

/// A piece of work.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) title: &'static str,
    pub(super) prompt: &'static str,
    pub(super) file: &'static str,
    pub(super) test: &'static str,
    pub(super) commit: &'static str,
}

const fn task(
    title: &'static str,
    prompt: &'static str,
    files: [&'static str; 2],
    commit: &'static str,
) -> Task {
    Task { title, prompt, file: files[0], test: files[1], commit }
}

/// The work of the night.
pub(super) const TASKS: [Task; 14] = [
    task(
        "Parcels scanned twice are billed twice",
        "A scanner that loses its connection sends the same scan again, and the parcel is billed twice. Make scans idempotent and prove it with a test.",
        ["src/billing/charge.rs", "tests/billing_repeat.rs"],
        "billing: charge a scan once however often it comes",
    ),
    task(
        "Tracking page shows UTC",
        "Customers read \"delivered at 03:12\" for something that came in the evening. Show the time of the depot, with its zone.",
        ["web/src/tracking/Timeline.ts", "web/src/tracking/Timeline.test.ts"],
        "web: show scan times in the zone of the depot",
    ),
    task(
        "Label printing fails for long street names",
        "Labels with more than 40 characters in the street are cut off. Wrap them, and keep the barcode where it is.",
        ["src/labels/layout.rs", "tests/labels_layout.rs"],
        "labels: wrap long street names below the barcode",
    ),
    task(
        "Depot import takes forty minutes",
        "The nightly import of depots reads the file once per row. Find out why and make it read the file once.",
        ["src/import/depots.rs", "tests/import_depots.rs"],
        "import: read the depot file once",
    ),
    task(
        "Rate limit for the public API",
        "Add a limit per key: 60 requests a minute, answer 429 with Retry-After. Configurable, documented, tested at the edge.",
        ["src/api/limit.rs", "tests/api_limit.rs"],
        "api: answer 429 beyond sixty requests a minute",
    ),
    task(
        "Webhooks are not retried",
        "When a shop's endpoint is down the delivery is lost. Retry with backoff for a day, then keep it where somebody can see it.",
        ["src/webhooks/deliver.rs", "tests/webhooks_retry.rs"],
        "webhooks: retry for a day, then set aside",
    ),
    task(
        "Search ignores accents",
        "Searching for \"Muller\" should find \"Müller\" and the other way round. Do it in the index, not in the query.",
        ["src/search/fold.rs", "tests/search_fold.rs"],
        "search: fold accents when indexing",
    ),
    task(
        "Flaky test in the route planner",
        "plans_shortest_route fails about once in thirty runs. It depends on the order of a map. Fix the planner, not the test.",
        ["src/routes/plan.rs", "tests/routes_plan.rs"],
        "routes: break ties by stop number",
    ),
    task(
        "Move sessions out of memory",
        "A restart logs everybody out. Keep sessions in the database; the old cookies must still work for a week.",
        ["src/auth/session.rs", "tests/auth_session.rs"],
        "auth: keep sessions in the database",
    ),
    task(
        "Invoices round per line",
        "Totals differ from the sum by a cent. Round once, at the end, and show how the total comes about.",
        ["src/billing/invoice.rs", "tests/billing_rounding.rs"],
        "billing: round totals once",
    ),
    task(
        "Health check answers before the database is up",
        "Traffic arrives before migrations ran. Split liveness from readiness.",
        ["src/server/health.rs", "tests/server_health.rs"],
        "server: be ready only when migrations ran",
    ),
    task(
        "Old scans fill the disk",
        "Scans older than two years can go to the archive. Write the job, dry run first, and count what it would move.",
        ["src/archive/scans.rs", "tests/archive_scans.rs"],
        "archive: move scans older than two years",
    ),
    task(
        "Depot map is slow on phones",
        "The map draws 4,000 markers at once. Cluster them; keep the one that was clicked.",
        ["web/src/map/Depots.ts", "web/src/map/Depots.test.ts"],
        "web: cluster depots on the map",
    ),
    task(
        "Parcel weight accepts commas",
        "\"1,5\" is read as 15 kg. Accept both separators where the locale is known and refuse the rest.",
        ["src/parcels/weight.rs", "tests/parcels_weight.rs"],
        "parcels: read weights by locale",
    ),
];

/// A decision with the options that lost.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) category: &'static str,
    pub(super) chosen: &'static str,
    pub(super) rationale: &'static str,
    pub(super) rejected: [(&'static str, &'static str); 2],
}

/// What is decided over the night.
pub(super) const DECISIONS: [Decision; 7] = [
    Decision {
        category: "storage",
        chosen: "one row per scan, unique by device and counter",
        rationale: "The device counts its scans already, so the database can refuse the second one and nothing has to be remembered elsewhere.",
        rejected: [
            ("a cache of recent scans", "it forgets at a restart, which is when repeats come"),
            ("hashing the scan", "two real scans of one parcel in one second are equal"),
        ],
    },
    Decision {
        category: "interface",
        chosen: "429 with Retry-After",
        rationale: "Every client library in use waits by itself when it sees the header.",
        rejected: [
            ("delaying the answer", "it holds connections that others need"),
            ("503", "monitoring would call it an outage"),
        ],
    },
    Decision {
        category: "rollout",
        chosen: "dual reads for a week",
        rationale: "Old cookies keep working and the old store can be dropped without a logout.",
        rejected: [
            ("a hard switch at night", "drivers work at night"),
            ("rewriting cookies at the proxy", "the proxy should know nothing of sessions"),
        ],
    },
    Decision {
        category: "testing",
        chosen: "a seeded generator instead of fixtures",
        rationale: "The fixtures never held the case that broke; the generator found it in the first minute.",
        rejected: [
            ("more fixtures", "each covers the past"),
            ("recording production", "addresses of customers have no place in tests"),
        ],
    },
    Decision {
        category: "performance",
        chosen: "read the file once into a sorted list",
        rationale: "12,000 depots are 900 kB; a lookup by bisection is far below the cost of the insert.",
        rejected: [
            ("an index on disk", "a file to keep in step for 900 kB"),
            ("parallel readers", "it reads the same bytes forty times, only faster"),
        ],
    },
    Decision {
        category: "money",
        chosen: "round once, half to even",
        rationale: "It is what the accountants' tool does, so that both come to the same cent.",
        rejected: [
            ("round every line", "the sum differs from the total"),
            ("keep fractions on the invoice", "no customer can pay them"),
        ],
    },
    Decision {
        category: "delivery",
        chosen: "retry by attempt table in the database",
        rationale: "A restart loses nothing and the support desk can see what waits.",
        rejected: [
            ("timers in memory", "that is what lost deliveries until now"),
            ("a queue service", "one more thing to run for forty deliveries an hour"),
        ],
    },
];

/// What tests and tools say when they fail.
pub(super) const FAILURES: [&str; 8] = [
    "assertion `left == right` failed: left: 2 charges, right: 1 charge",
    "test result: FAILED. 41 passed; 1 failed",
    "error[E0502]: cannot borrow `plan` as mutable because it is also borrowed as immutable",
    "expected 429, got 200 at request 61",
    "timeout: no answer from the test database after 30 s",
    "lint: unused import `Duration` in src/webhooks/deliver.rs",
    "snapshot `labels_layout` does not match",
    "connection to the depot mirror was reset",
];

/// Commands that agents run in a shell, with what they are for.
pub(super) const COMMANDS: [(&str, &str); 8] = [
    ("cargo test --quiet", "Run the tests"),
    ("cargo test --test billing_repeat -- --nocapture", "Run one test with its output"),
    ("npm test -- tracking", "Run the tests of the tracking page"),
    ("git log --oneline -5", "See what happened lately"),
    ("rg -n \"fn charge\" src", "Find where a scan is charged"),
    ("git diff --stat", "See what has changed"),
    ("cargo clippy --all-targets", "Ask the linter"),
    ("psql harbor_test -c \"select count(*) from scans\"", "Count the scans"),
];

/// What an agent says at the end of a turn.
pub(super) const SUMMARIES: [&str; 6] = [
    "Done: the new test fails without the change and passes with it. I left the migration for review.",
    "The cause was a map whose order changes from run to run. Ties are now broken by number; 200 runs without a failure.",
    "Implemented and documented. One question is open: whether existing keys get the higher limit.",
    "Nothing left to do here: 42 tests pass, clippy is quiet, and the page loads in 0.8 s instead of 3.",
    "I stopped before the schema change, because it cannot be undone. The rest is committed.",
    "Split the handler in two. Behaviour is the same, which the snapshots show.",
];

/// What only a person can answer.
pub(super) const QUESTIONS: [(&str, &str); 5] = [
    ("The migration drops a column. Shall I go on?", "Yes, the backup of tonight is there."),
    ("Two depots have the same number. Which one is right?", "The one in the north."),
    ("May I raise the limit for existing keys?", "Not tonight; leave it at 60."),
    ("The old cookie format has no expiry. How long shall it work?", "One week."),
    ("The upstream mirror is down. Wait, or use yesterday's copy?", "Use yesterday's copy."),
];

/// What people write in the team's channel, and what the agent answers.
pub(super) const CHAT: [(&str, &str); 8] = [
    ("is the import through?", "The depot import finished at 02:40 with 11,984 rows and no error."),
    ("what is blocking the release?", "One review: the session change. Everything else is merged."),
    (
        "can you rerun the label tests",
        "Rerun: 37 pass. The one that failed yesterday needs the new font.",
    ),
    (
        "who has the billing file?",
        "dock-alpha holds src/billing/charge.rs, for four minutes so far.",
    ),
    ("please summarise the night so far", "Nine beads done, two failed, one worker over budget."),
    ("how much did we spend today?", "A little over eleven dollars, most of it on the planner."),
    ("webhooks look slow again", "The queue has 312 deliveries; one shop answers after 20 s."),
    ("stop the docs job for tonight", "Paused. It will ask again at six."),
];
