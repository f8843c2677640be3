// The answers of every other address, member by member as the server gives them.
import type { At, Dialect, Level, Status } from './words';

/** A record: an event with what Weft adds to it. */
export interface LogRecord {
  position: number;
  cursor: string;
  received?: At;
  dialect?: Dialect;
  via?: string;
  topic?: string;
  key?: string;
  conflict?: number;
  carried?: number;
  unverified?: boolean;
  /** As it was sent; null where it is no JSON any more. */
  event: unknown;
  facts?: Facts;
}

/** What Weft reads off any event. */
export interface Facts {
  dialect: Dialect;
  type: string;
  time?: At;
  actor?: string;
  subject?: string;
  parent?: string;
  session?: string;
  tenant?: string;
  order?: number;
  identity?: string;
  retry_key?: string;
  status?: Status;
  ended?: boolean;
  level?: Level;
  progress?: number;
  tool?: string;
  path?: string;
  duration_ms?: number;
  message?: string;
  trace?: string;
  span?: string;
  parent_span?: string;
  task?: string;
  usage?: Record<string, string | number>;
  topic?: string;
}

/** Positions whose records are damaged or gone. */
export interface Lost {
  first: number;
  last: number;
}

/** The answer of `GET /v1/events`. */
export interface RecordPage {
  records: LogRecord[];
  lost: Lost[];
  next: { before?: string; after?: string } | null;
}

/** A record's place and when it was received. */
export interface Place {
  position: number;
  /** Null where no seal vouches for the record. */
  received: At | null;
}

/** The answer of `GET /v1/store`. */
export interface StoreInfo {
  version: string;
  store: string;
  first: Place | null;
  last: Place | null;
  now: At;
  needs_token: boolean;
  is_demo: boolean;
}

/** The answer of `GET /v1/filter`; places are bytes of the text. */
export interface FilterHelp {
  error: { message: string; help: string; from: number; to: number } | null;
  from: number;
  to: number;
  completions: { text: string; about?: string }[];
}

/** The answer of `GET /v1/timeline`. */
export interface Timeline {
  position: number;
  from: At;
  to: At;
  n_records: number;
  is_cut: boolean;
  lanes: Lane[];
  n_more: number;
}

export interface Lane {
  actor: string;
  session?: string;
  parent?: string;
  spans: LaneSpan[];
}

export interface LaneSpan {
  status: Status | 'stuck' | 'silent';
  from: At;
  to: At;
  position: number;
  what?: string;
  n: number;
}

/** The answer of `GET /v1/sessions/{id}/talk`. */
export interface Talk {
  session: string;
  position: number;
  n_items: number;
  from: number;
  items: TalkItem[];
  marks: { errors: number[]; decisions: number[]; edits: number[]; turns: number[] };
}

export type TalkKind =
  | 'prompt'
  | 'said'
  | 'thought'
  | 'call'
  | 'agent'
  | 'note'
  | 'error'
  | 'decision'
  | 'edit'
  | 'end';

export interface TalkItem {
  nth: number;
  turn: number;
  depth: number;
  kind: TalkKind;
  by?: string;
  text?: string;
  tool?: string;
  path?: string;
  input?: unknown;
  result?: unknown;
  is_ok?: boolean;
  is_denied?: boolean;
  duration_ms?: number;
  diff?: { old: string; new: string };
  at: At;
  positions: number[];
}

/** The answer of `GET /v1/traces/{id}/spans`. */
export interface TraceSpans {
  trace: string;
  position: number;
  spans: TraceSpan[];
}

/** A span, or a record of the trace that names none and has no id then. */
export interface TraceSpan {
  id?: string;
  parent?: string;
  depth: number;
  name: string;
  actor?: string;
  status?: Status;
  is_error?: boolean;
  from?: At;
  /** Left out where it took no time, as far as is known. */
  to?: At;
  duration_ms?: number;
  positions: number[];
}
