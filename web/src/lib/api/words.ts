// The words that rows are made of: each is one of the server's own enums, spelled as it is sent.

/** A moment, RFC 3339. */
export type At = string;

/** What an actor does. */
export type Status =
  | 'started'
  | 'thinking'
  | 'tool_use'
  | 'progress'
  | 'waiting'
  | 'blocked'
  | 'completed'
  | 'error';

/** How an actor is known to be there. */
export type Presence = 'alive_by_events' | 'alive_by_heartbeat' | 'silent' | 'gone';

/** What a person is needed for, the worst first. */
export type NeedKind =
  | 'permission'
  | 'answer'
  | 'blocked'
  | 'deadlock'
  | 'over_budget'
  | 'failed'
  | 'stuck'
  | 'collision'
  | 'idle';

/** A rule that finds actors stuck. */
export type StuckRule = 'reported' | 'same_call' | 'same_edit' | 'silent' | 'same_state' | 'slow' | 'stale';

export type SessionState = 'running' | 'waiting' | 'failed' | 'done';

export type WorkState =
  | 'blocked'
  | 'failed'
  | 'exhausted'
  | 'working'
  | 'claimed'
  | 'released'
  | 'open'
  | 'split'
  | 'left'
  | 'done';

export type WorkOrigin = 'child' | 'alternative' | 'weave' | 'pulse';

export type StepStatus = 'pending' | 'running' | 'done' | 'skipped' | 'error';

export type LoopState = 'running' | 'paused' | 'stale' | 'done' | 'aborted' | 'replaced';

/** What can be asked of a loop. */
export type LoopCommand = 'pause' | 'resume' | 'cancel' | 'escalate';

export type BudgetMark = 'ok' | 'warning' | 'critical' | 'exceeded';

export type Level = 'debug' | 'info' | 'warn' | 'error';

export type Dialect = 'idle' | 'collector' | 'pinchy' | 'engine' | 'needle' | 'weft';

/** What usage is grouped by. */
export type UsageBy = 'actor' | 'session' | 'task' | 'model' | 'day';
