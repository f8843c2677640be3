// The rows of actors, sessions and what they do, member by member as `GET /v1/views/{view}` gives them.
// What a row may leave out is optional; nothing here is ever null.
import type { At, BudgetMark, NeedKind, Presence, SessionState, Status, StuckRule } from './words';

/** Something that needs a person. */
export interface Need {
  id: string;
  kind: NeedKind;
  actor: string;
  session?: string;
  task?: string;
  since: At;
  what: string;
  positions: number[];
  command: string;
}

/** An actor that is at work and gets nowhere. */
export interface Stuck {
  id: string;
  rule: StuckRule;
  rules: StuckRule[];
  actor: string;
  session?: string;
  task?: string;
  since: At;
  what: string;
  positions: number[];
}

/** One actor. */
export interface FleetRow {
  actor: string;
  status?: Status;
  since?: At;
  since_position?: number;
  quiet_ms?: number;
  presence: Presence;
  on?: string;
  message?: string;
  prompt?: string;
  parent?: string;
  children?: string[];
  session?: string;
  tenant?: string;
  dialect?: string;
  host?: string;
  folder?: string;
  branch?: string;
  model?: string;
  task?: string;
  tool?: string;
  path?: string;
  progress?: number;
  waits_for?: string;
  first_seen: At;
  last_seen: At;
  last_heartbeat?: At;
  is_ended: boolean;
  n_events: number;
}

export interface SessionRow {
  session: string;
  state: SessionState;
  title?: string;
  actors: string[];
  tenant?: string;
  first_prompt?: string;
  last_prompt?: string;
  folder?: string;
  branch?: string;
  model?: string;
  host?: string;
  n_turns: number;
  n_calls: number;
  n_errors: number;
  n_records: number;
  total_tokens: number;
  cost_usd: number;
  estimated_usd: number;
  since: At;
  last_seen: At;
  silent_ms: number;
  first_position: number;
  position: number;
}

export interface TraceRow {
  trace: string;
  root: string;
  session?: string;
  actors: string[];
  n_spans: number;
  n_records: number;
  n_errors: number;
  since: At;
  last_seen: At;
  duration_ms: number;
  position: number;
}

export interface DecisionRow {
  id?: string;
  chosen?: string;
  options: string[];
  rationale?: string;
  category?: string;
  rejected: { option: string; reason?: string }[];
  is_made: boolean;
  actor?: string;
  session?: string;
  task?: string;
  since: At;
  last_seen: At;
  positions: number[];
}

/** What failed, all of one kind that say the same. */
export interface ErrorRow {
  kind: string;
  signature: string;
  n: number;
  actors: { actor: string; n: number }[];
  first_seen: At;
  first_position: number;
  last_seen: At;
  last_position: number;
  sample: string;
  positions: number[];
}

export interface UsageRow {
  /** The actor, session, task, model or day; left out for what came without one. */
  name?: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  unsplit_tokens: number;
  total_tokens: number;
  cost_usd: number;
  reported_usd: number;
  estimated_usd: number;
  unpriced_tokens: number;
  n_reports: number;
  first_seen?: At;
  last_seen?: At;
}

export interface BudgetRow {
  mark: BudgetMark;
  scope: 'actor' | 'task' | 'session' | 'day';
  actor?: string;
  session?: string;
  task?: string;
  day?: string;
  used?: number;
  limit?: number;
  unit?: 'usd' | 'tokens';
  fraction?: number;
  position?: number;
  since?: At;
}
