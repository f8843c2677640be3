//! The command line as a whole: the subcommands, one line each, and what several of them share.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use weft_event::Dialect;

use crate::{
    Outcome, anchor, bench, completions, config, convert, demo, digest, doctor, emit, explain,
    export, gaps, hook, hooks, import, ingest, init, issue, land, log, mcp, merge, notify, post,
    prune, read, reindex, rejects, reply, resume, scan, schema, search, service, session, show,
    sql, stats, status, steer, sub, tail, taxonomy, thread, token, top, topic, trace, up, validate,
    verify, views, watch, worktree,
};

const ABOUT: &str = "\
Keeps the events that coding agents write in one durable, ordered log, and finds them again.

An event is one JSON object on a line. Weft knows five dialects of them (idle, collector, pinchy, engine, needle) and its own \
(weft), and tells them apart by their shape.";

const EXAMPLES: &str = "\
Examples:
  weft ingest logs/                take every event in a folder into the log
  weft log 'level>=warn since:2h'  show what happened, by filter
  weft tail                        and what happens
  weft inbox                       see what needs a person
  weft fleet --watch               see what every agent is doing
  weft up                          take events over HTTP too, and pass them on
  weft validate logs/              check every event in a folder
  weft explain logs/a.jsonl:12     say what one event means
  weft convert --to needle a.jsonl say it in another dialect
  weft types collector             list the event types of a dialect

Exit codes: 0 all is well, 1 something was found, 2 wrong use or unreadable input.";

/// The command line.
#[derive(Parser)]
#[command(
    name = "weft",
    version,
    about = "Keeps the events that coding agents write in one durable log, and finds them again",
    long_about = ABOUT,
    after_help = EXAMPLES,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Subcommand)]
pub(crate) enum Command {
    Validate(validate::Args),
    Explain(explain::Args),
    Convert(Box<convert::Args>),
    Merge(merge::Args),
    Init(init::Args),
    Emit(emit::Args),
    Hook(hook::Args),
    Hooks(hooks::Args),
    Mcp(mcp::Args),
    Ingest(ingest::Args),
    Rejects(rejects::Args),
    Log(log::Args),
    Tail(tail::Args),
    Top(top::Args),
    Show(show::Args),
    Topic(topic::Args),
    Post(post::Args),
    Reply(reply::Args),
    Read(read::Args),
    Thread(thread::Args),
    Search(search::Args),
    Watch(watch::Args),
    Session(session::Args),
    Trace(trace::Args),
    Gaps(gaps::Args),
    Inbox(views::inbox::Args),
    Fleet(views::fleet::Args),
    Stuck(views::stuck::Args),
    Sessions(views::sessions::Args),
    Traces(views::traces::Args),
    Work(views::work::Args),
    Decisions(views::decisions::Args),
    Usage(views::usage::Args),
    Files(views::files::Args),
    Errors(views::errors::Args),
    Loops(views::loops::Args),
    Runs(views::runs::Args),
    Gateway(views::gateway::Args),
    Loop(steer::Args),
    Grind(Box<steer::GrindArgs>),
    Anchor(anchor::Args),
    Resume(resume::Args),
    Issue(issue::Args),
    Land(land::Args),
    Worktree(worktree::Args),
    Digest(digest::Args),
    Stats(stats::Args),
    Sql(sql::Args),
    Export(export::Args),
    Import(import::Args),
    Verify(verify::Args),
    Scan(scan::Args),
    Prune(prune::Args),
    Sub(sub::Args),
    Notify(notify::Args),
    Index(reindex::Args),
    Up(up::Args),
    Status(status::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Service(service::Args),
    Token(token::Args),
    Types(taxonomy::Args),
    Schema(schema::Args),
    Demo(demo::Args),
    Bench(bench::Args),
    Completions(completions::Args),
}

impl Command {
    /// Runs the subcommand.
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match self {
            Command::Validate(args) => validate::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Convert(args) => convert::run(*args),
            Command::Merge(args) => merge::run(args),
            Command::Init(args) => init::run(args),
            Command::Emit(args) => emit::run(args),
            Command::Hook(args) => hook::run(args),
            Command::Hooks(args) => hooks::run(args),
            Command::Mcp(args) => mcp::run(args),
            Command::Ingest(args) => ingest::run(args),
            Command::Rejects(args) => rejects::run(args),
            Command::Log(args) => log::run(args),
            Command::Tail(args) => tail::run(args),
            Command::Top(args) => top::run(args),
            Command::Show(args) => show::run(args),
            Command::Topic(args) => topic::run(args),
            Command::Post(args) => post::run(args),
            Command::Reply(args) => reply::run(args),
            Command::Read(args) => read::run(args),
            Command::Thread(args) => thread::run(args),
            Command::Search(args) => search::run(args),
            Command::Watch(args) => watch::run(args),
            Command::Session(args) => session::run(args),
            Command::Trace(args) => trace::run(args),
            Command::Gaps(args) => gaps::run(args),
            Command::Inbox(args) => views::inbox::run(args),
            Command::Fleet(args) => views::fleet::run(args),
            Command::Stuck(args) => views::stuck::run(args),
            Command::Sessions(args) => views::sessions::run(args),
            Command::Traces(args) => views::traces::run(args),
            Command::Work(args) => views::work::run(args),
            Command::Decisions(args) => views::decisions::run(args),
            Command::Usage(args) => views::usage::run(args),
            Command::Files(args) => views::files::run(args),
            Command::Errors(args) => views::errors::run(args),
            Command::Loops(args) => views::loops::run(args),
            Command::Runs(args) => views::runs::run(args),
            Command::Gateway(args) => views::gateway::run(args),
            Command::Loop(args) => steer::run(args),
            Command::Grind(args) => steer::grind(&args),
            Command::Anchor(args) => anchor::run(&args),
            Command::Resume(args) => resume::run(&args),
            Command::Issue(args) => issue::run(args),
            Command::Land(args) => land::run(&args),
            Command::Worktree(args) => worktree::run(args),
            Command::Digest(args) => digest::run(args),
            Command::Stats(args) => stats::run(args),
            Command::Sql(args) => sql::run(args),
            Command::Export(args) => export::run(&args),
            Command::Import(args) => import::run(args),
            Command::Verify(args) => verify::run(args),
            Command::Scan(args) => scan::run(args),
            Command::Prune(args) => prune::run(args),
            Command::Sub(args) => sub::run(args),
            Command::Notify(args) => notify::run(args),
            Command::Index(args) => reindex::run(args),
            Command::Up(args) => up::run(args),
            Command::Status(args) => status::run(args),
            Command::Doctor(args) => doctor::run(args),
            Command::Config(args) => config::run(args),
            Command::Service(args) => service::run(args),
            Command::Token(args) => token::run(args),
            Command::Types(args) => taxonomy::run(args),
            Command::Schema(args) => schema::run(args),
            Command::Demo(args) => demo::run(&args),
            Command::Bench(args) => bench::run(args),
            Command::Completions(args) => completions::run(args),
        }
    }
}

/// Returns the parser of an argument that names a dialect.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::WORDS)
        .map(|word| Dialect::parse(&word).expect("only the names of dialects pass"))
}
