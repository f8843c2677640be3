//! What each form of a filter matches, on a handful of records.

use weft_event::Dialect;

use super::{meta, now_ns, parse, with_subject};
use crate::filter::{Filter, fields};
use crate::{Carried, Meta, Position, TopicKey};

const RECORDS: [(&str, &str); 5] = [
    (
        "claimed",
        r#"{"schema_version":1,"timestamp":"2026-11-15T11:00:00Z","event_type":"bead.claimed","worker_id":"alpha","session_id":"s-1","sequence":7,"bead_id":"bd-42","data":{"priority":1,"big":9007199254740993,"tags":["red","Blue"],"note":null,"ratio":0.5,"flag":true,"due":"2026-11-14T10:00:00Z","odd name":"x"}}"#,
    ),
    (
        "edited",
        r#"{"version":"1.0.0","event_type":"tool.post","timestamp":"2026-11-14T23:30:00+02:00","agent_id":"@qa","session_id":"s-2","source":"hook","status":"tool_use","message":"Edited the file, disk full","tool":{"tool_name":"Edit","tool_input":{"file_path":"/src/main.rs","edits":[{"old":"a"},{"old":"b"}]},"duration_ms":1500}}"#,
    ),
    (
        "failed",
        r#"{"version":"1.0.0","event_type":"lifecycle.error","timestamp":"2026-11-01T00:00:00Z","agent_id":"@qa","session_id":"s-2","source":"mcp","status":"error","message":"Disk is full"}"#,
    ),
    ("done", r#"{"schema":2,"event":"DONE","reason":"COMPLETE","priority":"1"}"#),
    (
        "damaged",
        r#"{"schema_version":1,"timestamp":"2026-11-15T11:59:30Z","event_type":"worker.stopped","worker_id":"beta","session_id":"s-3","sequence":9,"data":{}}"#,
    ),
];

fn record_meta(n: usize, dialect: weft_event::Dialect) -> Meta {
    let mut meta = meta(n as u64 + 1, dialect);
    let mark = meta.mark.as_mut().unwrap();
    match n {
        3 => {
            mark.via = "emit".into();
            mark.topic =
                Some(TopicKey { topic: "loop:current".to_owned(), key: Some("p/s".to_owned()) });
            mark.carried = Some(Carried { position: Position::FIRST, at_us: 0 });
            mark.conflict = Some(Position::FIRST);
        }
        4 => (meta.at_us, meta.mark) = (None, None),
        _ => {}
    }
    meta
}

/// Returns the records that match.
fn matching(filter: &str) -> String {
    let filter = parse(filter);
    let is_match = |(n, line): (usize, &str)| {
        with_subject(line, |dialect| record_meta(n, dialect), |subject| filter.matches(subject))
    };
    let names = RECORDS.iter().enumerate().filter(|(n, (_, line))| is_match((*n, line)));
    names.map(|(_, (name, _))| *name).collect::<Vec<_>>().join(" ")
}

fn table(filters: &[&str]) -> String {
    let row = |filter: &&str| format!("{filter:40}{}", matching(filter)).trim_end().to_owned();
    filters.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn fields_are_compared_by_their_kind() {
    insta::assert_snapshot!(table(&[
        "dialect=needle", "dialect:COLLECTOR", "type=bead.*", "type:*.post", "type=bead", "type=\"bead.*\"", "type~^l.*r$",
        "type!~e", "actor=@qa", "actor!=@qa", "session=s-?", "session=s-1", "task=bd-42", "tool=Edit", "path=*.rs",
        "path~\"main\\.rs$\"", "status=error", "status!=error", "status=*", "status~^t", "level=error", "level>=warn",
        "level<warn", "order=7", "order>7", "order>=7 order<9", "order!=7", "duration>1s", "duration=1.5s", "duration<1s",
        "position>=4", "position=2", "message~full$", "via=hook", "via!=hook", "topic=loop:*", "key=p/s",
    ]), @r#"
    dialect=needle                          claimed damaged
    dialect:COLLECTOR                       edited failed
    type=bead.*                             claimed
    type:*.post                             edited
    type=bead
    type="bead.*"
    type~^l.*r$                             failed
    type!~e                                 edited done
    actor=@qa                               edited failed
    actor!=@qa                              claimed done damaged
    session=s-?                             claimed edited failed damaged
    session=s-1                             claimed
    task=bd-42                              claimed
    tool=Edit                               edited
    path=*.rs                               edited
    path~"main\.rs$"                        edited
    status=error                            failed
    status!=error                           claimed edited done damaged
    status=*                                claimed edited failed done
    status~^t                               edited
    level=error                             failed
    level>=warn                             failed
    level<warn                              claimed edited done damaged
    order=7                                 claimed
    order>7                                 damaged
    order>=7 order<9                        claimed
    order!=7                                edited failed done damaged
    duration>1s                             edited
    duration=1.5s                           edited
    duration<1s
    position>=4                             done damaged
    position=2                              edited
    message~full$                           edited failed
    via=hook                                claimed edited failed
    via!=hook                               done damaged
    topic=loop:*                            done
    key=p/s                                 done
    "#);
}

#[test]
fn what_a_record_does_not_have_is_never_equal_and_always_unequal() {
    insta::assert_snapshot!(table(&[
        "tool=x", "tool!=x", "not tool=x", "-tool~x", "tool!~x", "has:tool", "-has:tool", "tool=*", "order<100", "-order<100",
        "order!=100", ".nothing=1", ".nothing!=1", ".nothing<1", "-.nothing<1", "has:.nothing", "has:time", "has:at",
        "since:1000w", "-since:1000w", "tenant!=x",
    ]), @"
    tool=x
    tool!=x                                 claimed edited failed done damaged
    not tool=x                              claimed edited failed done damaged
    -tool~x                                 claimed edited failed done damaged
    tool!~x                                 claimed edited failed done damaged
    has:tool                                edited
    -has:tool                               claimed failed done damaged
    tool=*                                  edited
    order<100                               claimed damaged
    -order<100                              edited failed done
    order!=100                              claimed edited failed done damaged
    .nothing=1
    .nothing!=1                             claimed edited failed done damaged
    .nothing<1
    -.nothing<1                             claimed edited failed done damaged
    has:.nothing
    has:time                                claimed edited failed damaged
    has:at                                  claimed edited failed done
    since:1000w                             claimed edited failed done damaged
    -since:1000w
    tenant!=x                               claimed edited failed done damaged
    ");
}

#[test]
fn flags_are_yes_or_no() {
    insta::assert_snapshot!(table(&[
        "ended=yes", "ended=no", "ended!=yes", "has:ended", "conflict:true", "carried=yes", "carried=FALSE", "unverified=yes",
        "-unverified=yes", "unverified=*",
    ]), @"
    ended=yes                               damaged
    ended=no                                claimed edited failed done
    ended!=yes                              claimed edited failed done
    has:ended                               damaged
    conflict:true                           done
    carried=yes                             done
    carried=FALSE                           claimed edited failed damaged
    unverified=yes                          damaged
    -unverified=yes                         claimed edited failed done
    unverified=*                            damaged
    ");
}

#[test]
fn times_are_relative_or_absolute() {
    insta::assert_snapshot!(table(&[
        "since:2h", "since:30s", "since:29s", "since:1d", "since:2w3d", "until:2h", "since:2026-11-14", "until:2026-11-14",
        "since:2026-11-14T21:30Z", "since:2026-11-14T21:30:00.000000001Z", "since:2026-11-14T23:30+02:00",
        "since:\"2026-11-14 21:30\"", "until:2026-11-14T21:30", "time=2026-11-14", "time!=2026-11-14", "time>2026-11-14",
        "time<=2026-11-14", "time<2026-11-14", "time>1h", "time>=1h", "time=2026-11-15T11:00:00Z", "at>1m", "at=2026-11-15",
        "at<1m",
    ]), @r#"
    since:2h                                claimed done damaged
    since:30s                               done damaged
    since:29s                               done
    since:1d                                claimed edited done damaged
    since:2w3d                              claimed edited failed done damaged
    until:2h                                edited failed
    since:2026-11-14                        claimed edited done damaged
    until:2026-11-14                        failed
    since:2026-11-14T21:30Z                 claimed edited done damaged
    since:2026-11-14T21:30:00.000000001Z    claimed done damaged
    since:2026-11-14T23:30+02:00            claimed edited done damaged
    since:"2026-11-14 21:30"                claimed edited done damaged
    until:2026-11-14T21:30                  failed
    time=2026-11-14                         edited
    time!=2026-11-14                        claimed failed done damaged
    time>2026-11-14                         claimed damaged
    time<=2026-11-14                        edited failed
    time<2026-11-14                         failed
    time>1h                                 damaged
    time>=1h                                claimed damaged
    time=2026-11-15T11:00:00Z               claimed
    at>1m                                   claimed edited failed done
    at=2026-11-15                           claimed edited failed done
    at<1m
    "#);
}

#[test]
fn paths_lead_into_the_event() {
    insta::assert_snapshot!(table(&[
        ".data.priority=1", ".data.priority=1.0", ".data.priority=\"1\"", ".data.priority>0", ".data.priority>1",
        "priority:1", ".priority=1", ".priority>0", ".data.big=9007199254740993", ".data.big=9007199254740992",
        ".data.ratio=5e-1", ".data.ratio<1", ".data.flag=true", ".data.flag=\"true\"", ".data.flag=false",
        ".data.note=null", ".data.note=*", "has:.data.note", ".data.note!=null", ".data.tags=red", ".data.tags=blue",
        ".data.tags~(?i)^blue$", ".data.tags[1]=Blue", ".data.tags[2]=Blue", ".data.tags!=red", ".data.tags=*",
        ".data[\"odd name\"]=x", ".data.due<2026-11-14", ".data.due<=2026-11-14", ".data.due>2d",
        ".tool.tool_input.edits[1].old=b", ".tool.tool_input.edits[].old=b", ".tool.tool_input.edits[].old=c",
        ".tool.tool_input.edits=b", "has:.tool.tool_input.edits[1]", "has:.tool.tool_input.edits[2]", ".tool=*", ".tool=Edit",
        "event_type:*.post", "tool.tool_name:Edit",
    ]), @r#"
    .data.priority=1                        claimed
    .data.priority=1.0                      claimed
    .data.priority="1"
    .data.priority>0                        claimed
    .data.priority>1
    priority:1                              done
    .priority=1                             done
    .priority>0
    .data.big=9007199254740993              claimed
    .data.big=9007199254740992
    .data.ratio=5e-1                        claimed
    .data.ratio<1                           claimed
    .data.flag=true                         claimed
    .data.flag="true"
    .data.flag=false
    .data.note=null                         claimed
    .data.note=*
    has:.data.note
    .data.note!=null                        edited failed done damaged
    .data.tags=red                          claimed
    .data.tags=blue
    .data.tags~(?i)^blue$                   claimed
    .data.tags[1]=Blue                      claimed
    .data.tags[2]=Blue
    .data.tags!=red                         edited failed done damaged
    .data.tags=*                            claimed
    .data["odd name"]=x                     claimed
    .data.due<2026-11-14
    .data.due<=2026-11-14                   claimed
    .data.due>2d                            claimed
    .tool.tool_input.edits[1].old=b         edited
    .tool.tool_input.edits[].old=b          edited
    .tool.tool_input.edits[].old=c
    .tool.tool_input.edits=b
    has:.tool.tool_input.edits[1]           edited
    has:.tool.tool_input.edits[2]
    .tool=*                                 edited
    .tool=Edit
    event_type:*.post                       edited
    tool.tool_name:Edit                     edited
    "#);
}

#[test]
fn words_alone_are_searched_for() {
    insta::assert_snapshot!(table(&[
        "disk", "DISK full", "\"disk full\"", "\"full disk\"", "ful*", "\"disk f\"*", "bd-42", "bd", "main.rs",
        "src/main.rs:10", "needle", "full -edit", "full -edit*", "'disk is'", "1",
    ]), @r#"
    disk                                    edited failed
    DISK full                               edited failed
    "disk full"                             edited
    "full disk"
    ful*                                    edited failed
    "disk f"*                               edited
    bd-42                                   claimed
    bd                                      claimed
    main.rs                                 edited
    src/main.rs:10
    needle
    full -edit                              failed
    full -edit*                             failed
    'disk is'                               failed
    1                                       claimed edited failed done
    "#);
}

#[test]
fn and_binds_more_than_or_and_not_more_than_and() {
    insta::assert_snapshot!(table(&[
        "actor=alpha or actor=@qa level=error", "(actor=alpha or actor=@qa) level=error", "not actor=alpha level=info",
        "not (actor=alpha or actor=@qa)", "-actor=alpha !actor=beta", "disk AND NOT error", "alpha OR beta",
        "(alpha)or(beta)", "not(alpha)", "status = error", "status = \"error\" and full", "*", "", "not *",
    ]), @r#"
    actor=alpha or actor=@qa level=error    claimed failed
    (actor=alpha or actor=@qa) level=error  failed
    not actor=alpha level=info              edited done damaged
    not (actor=alpha or actor=@qa)          done damaged
    -actor=alpha !actor=beta                edited failed done
    disk AND NOT error                      edited
    alpha OR beta                           claimed damaged
    (alpha)or(beta)                         claimed damaged
    not(alpha)                              edited failed done damaged
    status = error                          failed
    status = "error" and full               failed
    *                                       claimed edited failed done damaged
                                            claimed edited failed done damaged
    not *
    "#);
}

#[test]
fn every_field_can_be_asked_for() {
    for info in fields() {
        let has_value = !["since", "until", "has"].contains(&info.name);
        let text = format!("has:{}", info.name);
        assert_eq!(Filter::parse(&text, now_ns()).is_ok(), has_value, "{text}");
        assert!(!info.about.is_empty());
    }
    let names: Vec<&str> = fields().iter().map(|info| info.name).collect();
    insta::assert_snapshot!(names.join(" "), @"dialect type status level actor subject parent session tenant task tool path message trace span model topic key via position order duration progress cost tokens input_tokens output_tokens time at since until ended conflict carried unverified has");
}

#[test]
fn the_document_tells_of_every_field_and_its_examples_are_filters() {
    let document = include_str!("../../../../../docs/filter.md");
    for info in fields() {
        let is_row = |line: &str| {
            let names = line.strip_prefix("| ").and_then(|line| line.split(" | ").next());
            names.is_some_and(|names| {
                names.split(", ").any(|name| name == format!("`{}`", info.name))
            })
        };
        assert!(document.lines().any(is_row), "{} is not in the table of fields", info.name);
    }
    let blocks = document.split("```filter\n").skip(1);
    let examples: Vec<&str> =
        blocks.flat_map(|block| block.split("```").next().unwrap().lines()).collect();
    assert!(examples.len() >= 9, "{examples:?}");
    for example in examples {
        assert!(!parse(example).is_all(), "{example}");
    }
}

#[test]
fn bookkeeping_is_left_out_unless_it_is_asked_for() {
    let shown = |text| parse(text).without_bookkeeping().to_string();
    insta::assert_snapshot!(shown(""), @"dialect!=weft");
    insta::assert_snapshot!(shown("a or actor=b"), @"(a or actor=b) dialect!=weft");
    insta::assert_snapshot!(shown("dialect=weft"), @"dialect=weft");
    insta::assert_snapshot!(shown("dialect=w* or x"), @"dialect=w* or x");
    insta::assert_snapshot!(shown("dialect=needle"), @"dialect=needle dialect!=weft");
    insta::assert_snapshot!(shown("dialect!=weft"), @"dialect!=weft");
}

#[test]
fn what_hangs_on_the_dialect_alone_is_told_without_reading_the_event() {
    let unread = |filter: &Filter, dialect| filter.matches_unread(&meta(1, dialect));
    let plain = Filter::all().without_bookkeeping();
    assert_eq!(unread(&plain, Dialect::Needle), Some(true));
    assert_eq!(unread(&plain, Dialect::Weft), Some(false));
    let errors = parse("status=error or dialect=idle").without_bookkeeping();
    let told = [Dialect::Needle, Dialect::Idle, Dialect::Weft].map(|own| unread(&errors, own));
    assert_eq!(told, [None, Some(true), Some(false)]);
    let unsealed = Meta { mark: None, ..meta(1, Dialect::Needle) };
    assert_eq!(plain.matches_unread(&unsealed), None);
}
