// What an event says at a glance: its type, whom it is about, and a few words, for lists of records, which come without facts. It
// looks where the server's facts of the event's dialect look (docs/facts.md); where those have no words, it finds some of its own.
import type { Dialect } from '../api/words';

export interface Glance {
  type: string;
  actor: string;
  session: string;
  text: string;
}

/** Where events of a dialect have what, the first that is there: the type in `type` unless it says otherwise. `carried` is where a
    translation puts facts, which win. */
interface Places extends Record<'actor' | 'session' | 'text', readonly string[]> {
  type?: readonly string[];
  carried: string;
}

const PLACES: Record<Dialect, Places> = {
  idle: {
    actor: ['run_id'],
    session: ['session_id'],
    text: ['details.reason', 'reason', 'detail', 'code', 'next_step'],
    carried: 'weft.facts',
  },
  collector: { type: ['event_type'], actor: ['agent_id'], session: ['session_id'], text: ['message'], carried: 'metadata.weft.facts' },
  pinchy: {
    type: ['event_type'],
    actor: ['source.component_id'],
    session: ['routing.session_id'],
    text: ['payload.error.message', 'payload.content.text', 'payload.error_message', 'payload.text'],
    carried: 'meta.weft.facts',
  },
  engine: {
    actor: ['runId'],
    session: ['runId'],
    text: ['payload.text', 'payload.summary', 'payload.message', 'payload.reason', 'payload.action.question'],
    carried: 'payload.weft.facts',
  },
  needle: {
    type: ['event_type', 'event'],
    actor: ['worker_id', 'worker'],
    session: ['session_id', 'session'],
    text: ['data.error', 'data.error.message', 'data.reason', 'data.message'],
    carried: 'data.weft.facts',
  },
  weft: { actor: [], session: [], text: [], carried: '' },
};

/** Events of a gateway that are about the agent they are routed to; all others are about the component they come from. */
const ABOUT_AGENT: readonly string[] = [
  'channel.message.received',
  'channel.message.edited',
  'channel.message.deleted',
  'cron.triggered',
  'agent.turn.started',
  'agent.turn.completed',
  'agent.turn.failed',
  'agent.response.created',
  'tool.call.requested',
  'tool.call.completed',
  'tool.call.failed',
];

/** What tells of an event that says nothing to a person. */
const TELLING = ['goal', 'tool.tool_name', 'payload.tool_name', 'payload.tool', 'data.tool', 'data.title', 'bead_id', 'data.bead_id', 'payload.stepId'];
/** Where an event says what it tells of, if in no words. */
const BODIES = ['payload', 'data', 'details', 'metadata'];
const PAIRS_MAX = 6;

export function glance(event: unknown, dialect: Dialect | undefined): Glance {
  const read = dialect === undefined ? { type: '', actor: '', session: '', text: '' } : reading(event, dialect);
  return { ...read, text: read.text || first(event, TELLING) || pairs(event) };
}

function reading(event: unknown, dialect: Dialect): Glance {
  const { carried, ...places } = PLACES[dialect];
  const type = dialect === 'idle' ? idleType(event) : first(event, places.type ?? ['type']);
  const read = { type, actor: first(event, places.actor), session: first(event, places.session), text: first(event, places.text) };
  if (dialect === 'pinchy' && ABOUT_AGENT.includes(type)) read.actor = first(event, ['routing.agent_id']);
  if (dialect === 'weft' && type === 'lease.changed') read.actor = first(event, ['data.owner']);
  if (dialect === 'idle' && type === 'message') Object.assign(read, { actor: first(event, ['sender.id', 'sender.name']), text: first(event, ['body']) });
  if (dialect === 'idle' && type === 'topic') read.text = first(event, ['name']);
  const given = at(event, carried);
  return typeof given === 'object' && given !== null ? { ...read, ...carriedOf(given as Record<string, unknown>) } : read;
}

/** A loop's trace and its requests have words for what happened, and no member that says what they are. */
function idleType(event: unknown): string {
  const word = first(event, ['event']);
  if (at(event, 'loop_kind') !== undefined) return `trace.${word}`;
  if (['REQUEST', 'ACK', 'RESULT'].includes(word)) return `control.${word}`;
  return word || first(event, ['type']) || (at(event, 'goal') !== undefined ? 'ANCHOR' : '');
}

/** Returns the facts that a translation carries; null means that there is none. */
function carriedOf(given: Record<string, unknown>): Partial<Glance> {
  const names = [['actor', 'actor'], ['session', 'session'], ['text', 'message']] as const;
  return Object.fromEntries(names.filter(([, fact]) => fact in given).map(([name, fact]) => [name, typeof given[fact] === 'string' ? given[fact] : '']));
}

/** Returns the first plain members of an event's body: `from IDLE, to RUNNING`. */
function pairs(event: unknown): string {
  const body = BODIES.map((name) => at(event, name)).find((value) => typeof value === 'object' && value !== null);
  const plain = Object.entries(body ?? {}).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return plain.slice(0, PAIRS_MAX).map(([name, value]) => `${name} ${String(value)}`).join(', ');
}

function first(event: unknown, paths: readonly string[]): string {
  for (const path of paths) {
    const value = at(event, path);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** Returns the member at a path; of a list it is that of the first item that has it. */
function at(event: unknown, path: string): unknown {
  let value = event;
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = value.map((item) => at(item, name)).find((found) => found !== undefined);
    else if (typeof value === 'object' && value !== null) value = (value as Record<string, unknown>)[name];
    else return undefined;
  }
  return value;
}
