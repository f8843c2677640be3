// The tables of a gateway: which rows each has, in which columns, and how a row stands. Pure.
import type { GatewayComponent, GatewayJob, GatewayPeer, GatewayReply, GatewayRevision, GatewayRow, GatewaySession } from '../../lib/api/rows-work';
import type { Look } from '../../lib/look/status';
import { count } from '../../lib/time/format';
import type { Column } from '../../lib/ui/table';

export interface Table {
  word: string;
  title: string;
  /** What would be in it. */
  hint: string;
  has: (row: GatewayRow) => boolean;
  columns: Column<GatewayRow>[];
}

const look = (sign: string, tone: Look['tone'], word: string): Look => ({ sign, tone, word });

const TURN: Record<NonNullable<GatewaySession['turn']>, Look> = {
  began: look('▶', 'busy', 'at work'),
  completed: look('✓', 'good', 'completed'),
  failed: look('✗', 'bad', 'failed'),
  aborted: look('◌', 'warn', 'aborted'),
};

const PHASE: Record<GatewayPeer['phase'], Look> = {
  started: look('▶', 'busy', 'started'),
  completed: look('✓', 'good', 'completed'),
  failed: look('✗', 'bad', 'failed'),
};

/** Returns how a row stands; nothing where there is nothing to say. */
export function lookOf(row: GatewayRow): Look | undefined {
  switch (row.part) {
    case 'component':
      return row.is_silent ? look('○', 'warn', 'silent') : look('●', 'good', 'here');
    case 'session':
      return row.turn && TURN[row.turn];
    case 'reply':
      return row.is_last_active ? look('→', 'calm', 'last channel') : look('→', 'plain', 'as it says');
    case 'peer':
      return row.fingerprint_before === undefined ? PHASE[row.phase] : { ...PHASE[row.phase], sign: '≠', tone: 'warn' };
    case 'revision':
      if (row.is_reverted) return look('✗', 'faint', 'taken back');
      return row.is_current ? look('✓', 'good', 'in force') : look('·', 'faint', 'before');
    case 'job':
      return undefined;
  }
}

/** Members that are moments, in any part. */
export const TIMES: ReadonlySet<string> = new Set(['last_heartbeat', 'last_seen', 'last_mail', 'since', 'last_run', 'applied', 'reverted']);

const state = (title: string): Column<GatewayRow> => ({ key: 'look', title, width: '7rem', isRich: true, text: (row) => lookOf(row)?.word, sort: (row) => lookOf(row)?.word });

function text<Row extends GatewayRow>(key: keyof Row & string, title: string, width: string, more: Partial<Column<GatewayRow>> = {}): Column<GatewayRow> {
  const value = (row: GatewayRow): string | undefined => {
    const given = (row as unknown as Record<string, unknown>)[key];
    return Array.isArray(given) ? given.join(', ') : given === undefined ? undefined : String(given);
  };
  return { key, title, width, text: value, sort: value, ...more };
}

function number<Row extends GatewayRow>(key: keyof Row & string, title: string, more: Partial<Column<GatewayRow>> = {}): Column<GatewayRow> {
  const value = (row: GatewayRow): number => (row as unknown as Record<string, number>)[key] ?? 0;
  return { key, title, width: '4.5rem', align: 'end', text: (row) => count(value(row)), sort: value, isDownFirst: true, ...more };
}

function time<Row extends GatewayRow>(key: keyof Row & string, title: string, more: Partial<Column<GatewayRow>> = {}): Column<GatewayRow> {
  const value = (row: GatewayRow): string | undefined => (row as unknown as Record<string, string | undefined>)[key];
  return { key, title, width: '5.5rem', align: 'end', isRich: true, sort: value, isDownFirst: true, ...more };
}

const COMPONENTS: Column<GatewayRow>[] = [
  state('Presence'),
  text<GatewayComponent>('component', 'Component', 'minmax(8rem, 1.5fr)'),
  text<GatewayComponent>('kind', 'Kind', 'minmax(6rem, 1fr)'),
  number<GatewayComponent>('n_events', 'Events', { from: 480 }),
  time<GatewayComponent>('last_heartbeat', 'Heartbeat', { from: 560 }),
  time<GatewayComponent>('last_seen', 'Heard of'),
];

export const TABLES: readonly [Table, ...Table[]] = [
  {
    word: 'sessions',
    title: 'Sessions',
    hint: 'Sessions show up here with their first message or turn.',
    has: (row) => row.part === 'session',
    columns: [
      state('Last turn'),
      text<GatewaySession>('tenant', 'Tenant', 'minmax(5rem, 0.8fr)', { from: 480 }),
      text<GatewaySession>('session', 'Session', 'minmax(8rem, 1.5fr)'),
      text<GatewaySession>('agent', 'Agent', 'minmax(5rem, 1fr)', { from: 560 }),
      text<GatewaySession>('channel', 'Last channel', 'minmax(6rem, 1fr)', { from: 720 }),
      number<GatewaySession>('n_turns', 'Turns', { from: 640 }),
      number<GatewaySession>('n_failed_turns', 'Failed', { from: 640 }),
      number<GatewaySession>('n_mails', 'In', { about: 'Messages that came in', from: 800 }),
      number<GatewaySession>('n_replies', 'Out', { about: 'Answers that went out', from: 800 }),
      number<GatewaySession>('n_calls', 'Calls', { from: 900 }),
      time<GatewaySession>('last_seen', 'Heard of'),
    ],
  },
  {
    word: 'outbox',
    title: 'Outbox',
    hint: 'Answers of agents show up here with where each goes.',
    has: (row) => row.part === 'reply',
    columns: [
      state('Goes'),
      text<GatewayReply>('text', 'Answer', 'minmax(10rem, 3fr)'),
      text<GatewayReply>('agent', 'Agent', 'minmax(5rem, 0.8fr)', { from: 560 }),
      text<GatewayReply>('platform', 'Over', '5rem', { from: 720 }),
      text<GatewayReply>('channel', 'To', 'minmax(6rem, 1fr)', { from: 480 }),
      text<GatewayReply>('actions', 'And does', 'minmax(4rem, 0.6fr)', { from: 900 }),
      time<GatewayReply>('since', 'When'),
    ],
  },
  {
    word: 'peers',
    title: 'Peers',
    hint: 'Pairings show up here when a component asks to be let in.',
    has: (row) => row.part === 'peer',
    columns: [
      state('Pairing'),
      text<GatewayPeer>('component', 'Component', 'minmax(7rem, 1fr)'),
      text<GatewayPeer>('kind', 'Kind', '6rem', { from: 600 }),
      text<GatewayPeer>('uri', 'Where', 'minmax(8rem, 1fr)', { isVerbatim: true, from: 760 }),
      text<GatewayPeer>('error', 'Error', 'minmax(7rem, 1fr)', { from: 500 }),
      text<GatewayPeer>('fingerprint', 'Certificate', 'minmax(8rem, 1fr)', { isVerbatim: true, from: 900 }),
      time<GatewayPeer>('since', 'When'),
    ],
  },
  {
    word: 'jobs',
    title: 'Jobs',
    hint: 'Jobs show up here when the scheduler runs one.',
    has: (row) => row.part === 'job',
    columns: [
      text<GatewayJob>('name', 'Job', 'minmax(8rem, 1.5fr)'),
      text<GatewayJob>('job', 'Id', '6rem', { isVerbatim: true, from: 560 }),
      text<GatewayJob>('tenant', 'Tenant', 'minmax(5rem, 1fr)', { from: 640 }),
      text<GatewayJob>('agent', 'Agent', 'minmax(5rem, 1fr)'),
      text<GatewayJob>('reason', 'Why', 'minmax(6rem, 1fr)', { from: 720 }),
      number<GatewayJob>('n_runs', 'Runs'),
      time<GatewayJob>('last_run', 'Last run'),
    ],
  },
  {
    word: 'tool-hosts',
    title: 'Tool hosts',
    hint: 'Tool hosts show up here when they tell of themselves.',
    has: (row) => row.part === 'component' && row.kind === 'tool_host',
    columns: COMPONENTS,
  },
  {
    word: 'components',
    title: 'Components',
    hint: 'Components of a gateway show up here with their first event.',
    has: (row) => row.part === 'component',
    columns: COMPONENTS,
  },
  {
    word: 'revisions',
    title: 'Revisions',
    hint: 'Revisions of the configuration show up here when one is applied.',
    has: (row) => row.part === 'revision',
    columns: [
      state('State'),
      text<GatewayRevision>('revision', 'Revision', 'minmax(6rem, 1fr)'),
      text<GatewayRevision>('component', 'Component', 'minmax(6rem, 1fr)'),
      text<GatewayRevision>('tenant', 'Tenant', 'minmax(5rem, 1fr)', { from: 560 }),
      text<GatewayRevision>('by', 'By', 'minmax(5rem, 1fr)', { from: 480 }),
      time<GatewayRevision>('applied', 'Applied'),
      time<GatewayRevision>('reverted', 'Taken back', { width: '6rem', from: 640 }),
    ],
  },
];

/** Returns the tenants that rows are of, in order. */
export function tenants(rows: readonly GatewayRow[]): string[] {
  const all = rows.flatMap((row) => ('tenant' in row && row.tenant !== undefined ? [row.tenant] : []));
  return [...new Set(all)].sort();
}

export function isOf(row: GatewayRow, tenant: string): boolean {
  return tenant === '' || ('tenant' in row && row.tenant === tenant);
}
