// What an event says at a glance: its type, whom it is about, and a few words. The server's facts are exact; this is for lists
// of records, which come without facts. It looks at names that events use, and never asks for the dialect.

export interface Glance {
  type: string;
  actor: string;
  session: string;
  text: string;
}

const TYPES = ['event_type', 'type', 'event', 'kind'];
const ACTORS = ['agent_id', 'worker_id', 'runId', 'run_id', 'routing.agent_id', 'source.component_id', 'data.run_id', 'sender'];
const SESSIONS = ['session_id', 'routing.session_id', 'sessionId'];
const TEXTS = [
  'message',
  'payload.text',
  'payload.message',
  'payload.summary',
  'payload.error',
  'data.message',
  'data.error',
  'data.reason',
  'details.reason',
  'reason',
  'goal',
  'body',
  'tool.tool_name',
  'payload.tool_name',
  'payload.tool',
  'data.tool',
  'data.title',
  'bead_id',
  'data.bead_id',
  'payload.stepId',
];

/** Where an event says what it tells of, if in no words. */
const BODIES = ['payload', 'data', 'details', 'metadata'];
const PAIRS_MAX = 6;

export function glance(event: unknown): Glance {
  const text = first(event, TEXTS) || pairs(event);
  return { type: first(event, TYPES), actor: first(event, ACTORS), session: first(event, SESSIONS), text };
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

function at(event: unknown, path: string): unknown {
  let value = event;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
