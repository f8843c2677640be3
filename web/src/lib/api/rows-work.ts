// The rows of work, files, loops, runs and gateways, member by member as `GET /v1/views/{view}` gives them.
import type { At, LoopState, StepStatus, WorkOrigin, WorkState } from './words';

/** A bead, an issue or a task. */
export interface WorkRow {
  id: string;
  title?: string;
  state: WorkState;
  actor?: string;
  since?: At;
  in_state_ms?: number;
  is_ready: boolean;
  blocked_by: string[];
  n_claims: number;
  n_attempts: number;
  n_retries: number;
  n_failures: number;
  parent?: string;
  origin?: WorkOrigin;
  children: { id: string; origin: WorkOrigin; state: WorkState }[];
  last_seen: At;
  position: number;
}

/** The plan of a run. */
export interface PlanRow {
  run: string;
  goal?: string;
  version?: number;
  n_done: number;
  steps: PlanStep[];
  last_seen: At;
  position: number;
}

export interface PlanStep {
  id: string;
  title: string;
  status: StepStatus;
  is_ready: boolean;
  blocked_by: string[];
  is_hard_stop: boolean;
  since: At;
  in_state_ms: number;
}

export interface LoopRow {
  run: string;
  state: LoopState;
  session?: string;
  /** The one at work is last. */
  frames: LoopFrame[];
  since: At;
  last_seen: At;
  age_ms: number;
  /** Why it waits for a person, in its own word: `asked`, `escalated`, `review`. */
  paused?: string;
  ended?: At;
  reason?: string;
  goal?: string;
  next_step?: string;
  anchored?: At;
  trace?: string;
  request?: string;
  position?: number;
}

export interface LoopFrame {
  id: string;
  mode: string;
  iter: number;
  max: number;
  issue?: string;
  filter?: string;
  branch?: string;
}

export interface RunRow {
  run: string;
  /** The engine's own word: IDLE, RUNNING, PAUSED, AWAITING_USER, ERROR, FINISHED. */
  state?: string;
  reason?: string;
  changed?: At;
  is_over: boolean;
  task?: string;
  goal?: string;
  step?: string;
  n_steps_done: number;
  n_steps: number;
  steps?: { id: string; title: string; status: StepStatus; is_hard_stop: boolean }[];
  n_calls: number;
  n_failed_calls: number;
  used?: number;
  limit?: number;
  verdict?: 'pass' | 'fail' | 'pending' | 'skip';
  reasons?: string[];
  evidence?: string[];
  judged?: At;
  error?: string;
  failed?: At;
  position?: number;
  first_seen: At;
  last_seen: At;
  quiet_ms: number;
}

export interface FileRow {
  path: string;
  heat: number;
  n_reads: number;
  n_writes: number;
  n_others: number;
  readers: FileActor[];
  writers: FileActor[];
  first_seen?: At;
  last_seen?: At;
  lease?: Lease;
  positions: number[];
}

export interface FileActor {
  actor: string;
  n: number;
  first_seen: At;
  last_seen: At;
}

export interface Lease {
  holder: string;
  since: At;
  held_ms: number;
  until?: At;
  wanted_by: string[];
  is_stale: boolean;
  is_expired: boolean;
  position: number;
}

/** Actors that got in each other's way. */
export interface CollisionRow {
  kind: 'file' | 'task' | 'folder';
  what: string;
  actors: string[];
  is_reported: boolean;
  first_seen: At;
  last_seen: At;
  positions: number[];
}

/** A row of a gateway; `part` says of what. */
export type GatewayRow =
  | GatewayComponent
  | GatewaySession
  | GatewayReply
  | GatewayPeer
  | GatewayJob
  | GatewayRevision;

export interface GatewayComponent {
  part: 'component';
  component: string;
  kind?: string;
  last_heartbeat?: At;
  last_seen: At;
  quiet_ms: number;
  is_silent: boolean;
  n_events: number;
}

export interface GatewaySession {
  part: 'session';
  tenant?: string;
  session: string;
  agent?: string;
  turn?: 'began' | 'completed' | 'failed' | 'aborted';
  n_turns: number;
  n_failed_turns: number;
  n_mails: number;
  n_replies: number;
  n_calls: number;
  platform?: string;
  channel?: string;
  author?: string;
  last_mail?: At;
  last_seen: At;
  quiet_ms: number;
}

export interface GatewayReply {
  part: 'reply';
  id: string;
  tenant?: string;
  session?: string;
  agent?: string;
  text?: string;
  platform?: string;
  channel?: string;
  is_last_active: boolean;
  actions?: string[];
  since: At;
  position: number;
}

export interface GatewayPeer {
  part: 'peer';
  pairing: string;
  phase: 'started' | 'completed' | 'failed';
  since: At;
  component?: string;
  kind?: string;
  uri?: string;
  fingerprint?: string;
  fingerprint_before?: string;
  error?: string;
  position: number;
}

export interface GatewayJob {
  part: 'job';
  tenant?: string;
  job: string;
  name?: string;
  agent?: string;
  reason?: string;
  last_run: At;
  scheduled: At[];
  n_runs: number;
  position: number;
}

export interface GatewayRevision {
  part: 'revision';
  tenant?: string;
  revision: string;
  is_current: boolean;
  is_reverted: boolean;
  component: string;
  by?: string;
  applied?: At;
  reverted?: At;
  position: number;
}
