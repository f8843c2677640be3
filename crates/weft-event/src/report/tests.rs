//! What events of every type report, and what they report in the forms that their producers give them.

mod describe;
mod hooks;
mod property;
mod variants;

use describe::{describe, read};

use crate::needle::LISTED;
use crate::taxonomy::EventType;
use crate::{Dialect, sample};

/// How many seeds the table is drawn from: what a type reports may depend on what its event has.
const SEEDS: u64 = 6;

/// Returns what events of every type of a dialect report.
fn table(dialect: Dialect) -> String {
    table_of(dialect, dialect.taxonomy().rows())
}

/// Returns what events of these types report, a line for each type; of those that differ the longest.
fn table_of(dialect: Dialect, rows: &[EventType]) -> String {
    let mut out = String::new();
    for row in rows {
        let reports = (0..SEEDS).map(|seed| {
            read(&sample::of_type(dialect, row.name, seed), |report| describe(report).brief())
        });
        let longest = reports.max_by_key(String::len).expect("there are seeds");
        out.push_str(&format!("{:<28} {longest}\n", row.name));
    }
    out
}

#[test]
fn every_type_of_idle_reports() {
    insta::assert_snapshot!(table(Dialect::Idle), @"
    STATE                        loop state frames @folder @branch
    DONE                         loop done reason
    ABORT                        loop abort reason
    ANCHOR                       loop anchor goal next
    topic                        -
    message                      words agent message text @branch @model
    trace.LOOP_START             loop trace reason
    trace.ITERATION              loop trace reason
    trace.COMPLETION             loop trace reason
    trace.MAX_ITERATIONS         loop trace reason
    trace.STALENESS              loop trace reason
    trace.ABORT                  loop trace reason
    trace.REVIEW_GATE_BLOCKED    loop trace reason
    trace.REVIEW_ESCALATE        loop trace reason
    control.REQUEST              loop control reason request
    control.ACK                  loop control reason request
    control.RESULT               loop control reason request
    ");
}

#[test]
fn every_type_of_collector_reports() {
    insta::assert_snapshot!(table(Dialect::Collector), @"
    lifecycle.started            -
    lifecycle.completed          -
    lifecycle.error              -
    lifecycle.terminated         -
    activity.thinking            words agent thought text
    activity.tool_use            call running input
    activity.progress            -
    coordination.waiting         wait until completed
    coordination.blocked         -
    coordination.handoff         handoff
    hook.session_start           - @folder
    hook.session_end             - @folder
    hook.prompt_submit           words person prompt text @folder
    hook.pre_tool_use            call running input @folder
    hook.post_tool_use           call completed input result @folder
    hook.permission_request      ask permission id @folder
    hook.notification            words program notice text @folder
    hook.stop                    turn completed id @folder
    hook.subagent_stop           turn completed id @folder
    hook.pre_compact             - @folder
    decision.made                decision id made chosen options rationale
    decision.rationale           decision id chosen options rationale
    decision.rejected            decision id chosen options rationale
    system.heartbeat             heartbeat
    system.config_change         -
    system.error                 -
    hook.subagent_start          - @folder
    hook.user_prompt_expansion   - @folder
    hook.message_display         words agent message text @folder
    hook.post_tool_use_failure   call failed input result @folder
    hook.post_tool_batch         - @folder
    hook.post_compact            - @folder
    hook.task_created            work created @folder
    hook.task_completed          work completed @folder
    hook.worktree_create         - @folder
    hook.worktree_remove         - @folder
    hook.config_change           - @folder
    hook.cwd_changed             - @folder
    hook.file_changed            - @folder
    hook.directory_added         - @folder
    hook.pre_model_switch        - @folder
    hook.post_model_switch       - @folder
    hook.instructions_loaded     - @folder
    hook.setup                   - @folder
    hook.elicitation             ask answer @folder
    hook.elicitation_result      ask answer answered @folder
    hook.teammate_idle           - @folder
    hook.permission_denied       call denied input @folder
    hook.stop_failure            turn failed id @folder
    activity.prompt              words person prompt text
    activity.message             words agent message text
    activity.tool_result         call completed input
    activity.usage               -
    activity.turn_completed      turn completed id words
    activity.turn_failed         turn failed id
    activity.turn_aborted        turn aborted id
    system.title                 words program title text
    ");
}

#[test]
fn every_type_of_pinchy_reports() {
    insta::assert_snapshot!(table(Dialect::Pinchy), @"
    channel.message.received     mail received platform channel author id text @kind @component
    channel.message.edited       mail edited platform channel author id text @kind @component
    channel.message.deleted      mail deleted platform channel author id @kind @component
    cron.triggered               job name reason scheduled @kind @component
    heartbeat.tick               heartbeat @kind @component
    agent.turn.started           turn began id @kind @component
    agent.turn.completed         turn completed id @kind @component
    agent.turn.failed            turn failed id @kind @component
    agent.response.created       reply id text platform channel actions @kind @component
    tool.call.requested          call running input @kind @component
    tool.call.completed          call completed result @kind @component
    tool.call.failed             call failed result @kind @component
    pairing.started              peer started pairing kind uri @kind @component
    pairing.completed            peer completed pairing component kind fingerprint @kind @component
    pairing.failed               peer failed pairing uri error @kind @component
    config.applied               config revision by @kind @component
    config.reverted              config reverted revision by @kind @component
    ");
}

#[test]
fn every_type_of_engine_reports() {
    insta::assert_snapshot!(table(Dialect::Engine), @"
    StateChanged                 run reason state
    UserMessage                  words person prompt text
    AgentMessage                 words agent message text
    AgentMessageChunk            words agent chunk text
    AgentMessageDone             words agent message text
    AgentActionProposed          call proposed input
    ToolCallStarted              call running input
    ToolCallChunk                call output result
    ToolCallFinished             call completed result
    Observation                  call completed result
    PlanUpdated                  plan version goal steps
    TaskUpdated                  work worked title @folder
    JudgeResult                  judge pending reasons evidence
    Error                        -
    ");
}

#[test]
fn every_type_of_needles_document_reports() {
    let rows = &Dialect::Needle.taxonomy().rows()[..LISTED];
    insta::assert_snapshot!(table_of(Dialect::Needle, rows), @"
    worker.started               - @folder
    worker.idle                  - @folder
    worker.stopped               - @folder
    worker.draining              - @folder
    bead.claimed                 work claimed @folder
    bead.prompt_built            work worked @folder
    bead.agent_started           work worked @folder
    bead.agent_completed         work handled @folder
    bead.completed               work completed @folder
    bead.failed                  work failed
    bead.released                work released @folder
    bead.claim_retry             work retried attempt @folder
    bead.claim_exhausted         work exhausted @folder
    bead.mitosis.check           work worked @folder
    bead.mitosis.started         work worked @folder
    bead.mitosis.child_created   work split lineage child @folder
    bead.mitosis.complete        work split @folder
    bead.mitosis.failed          work worked
    bead.mitosis.skipped         work worked @folder
    strand.started               - @folder
    strand.completed             - @folder
    strand.fallthrough           - @folder
    strand.skipped               - @folder
    hook.started                 call running input @folder
    hook.completed               call completed input @folder
    hook.failed                  call failed input result @folder
    heartbeat.emitted            heartbeat @folder
    heartbeat.stuck_detected     finding stuck @folder
    heartbeat.recovery           finding recovered @folder
    mend.orphan_released         work released @folder
    mend.heartbeat_cleaned       finding gone @folder
    mend.logs_pruned             - @folder
    mend.completed               - @folder
    unravel.alternatives_created - @folder
    unravel.alternative_created  work created lineage child @folder
    unravel.analysis_started     - @folder
    unravel.analysis_completed   - @folder
    weave.bead_created           work created lineage @folder
    weave.analysis_started       - @folder
    weave.analysis_completed     - @folder
    pulse.bead_created           work created lineage @folder
    pulse.scan_started           - @folder
    pulse.scan_completed         - @folder
    pulse.issue_detected         - @folder
    pulse.detector_started       - @folder
    pulse.detector_completed     - @folder
    error.claim_failed           -
    error.agent_crash            work failed @folder
    error.timeout                work failed @folder
    error.release_failed         -
    effort.recorded              - @folder
    budget.warning               budget warning @folder
    budget.exceeded              budget exceeded @folder
    budget.per_bead_exceeded     budget task_exceeded @folder
    file.checkout                lease taken @folder
    file.conflict                lease conflict actors @folder
    file.release                 lease released @folder
    file.stale                   lease stale @folder
    lock.priority_bump           lease wanted actors @folder
    lock.priority_bump_received  lease wanted actors @folder
    lock.expired                 lease expired @folder
    ");
}

#[test]
fn every_type_that_needle_writes_beside_its_document_reports() {
    let rows = &Dialect::Needle.taxonomy().rows()[LISTED..];
    insta::assert_snapshot!(table_of(Dialect::Needle, rows), @"
    bead.claim.attempted         work tried @folder
    bead.claim.succeeded         work claimed @folder
    bead.claim.race_lost         work retried @folder
    agent.dispatched             work worked @folder
    agent.completed              work handled @folder
    outcome.classified           work handled @folder
    outcome.handled              work handled @folder
    worker.booting               - @folder
    worker.state_transition      - @folder
    worker.errored               -
    budget.stop                  budget exceeded @folder
    ");
}

#[test]
fn every_type_of_ours_reports() {
    insta::assert_snapshot!(table(Dialect::Weft), @"
    subscription.changed         -
    subscription.acknowledged    -
    subscription.dead            -
    lease.changed                lease taken until
    issue.changed                -
    log.pruned                   -
    log.redacted                 -
    ");
}
