// The board of work: which lane a piece of work stands in, what can be searched, and how many there are of what. Pure.
import type { WorkRow } from '../../lib/api/rows-work';
import type { WorkState } from '../../lib/api/words';
import { WORK } from '../../lib/look/status';
import type { Chip } from '../../lib/ui/Chips.svelte';

export interface Lane {
  name: 'ready' | 'hands' | 'blocked' | 'failed' | 'aside' | 'done';
  title: string;
  about: string;
  /** What it says where nothing is in it. */
  empty: string;
}

export const LANES: readonly Lane[] = [
  { name: 'ready', title: 'Ready', about: 'Nobody has it, and all it needs is done', empty: 'Nothing can be begun with.' },
  { name: 'hands', title: 'In hand', about: 'Somebody has it, or is at it', empty: 'Nobody has anything.' },
  { name: 'blocked', title: 'Blocked', about: 'It cannot go on, or waits for its parts', empty: 'Nothing waits.' },
  { name: 'failed', title: 'Failed', about: 'It failed, or nobody will try again', empty: 'Nothing failed.' },
  { name: 'aside', title: 'Aside', about: 'It was split, or whoever had it went away', empty: 'Nothing was left behind.' },
  { name: 'done', title: 'Done', about: 'As its producer says', empty: 'Nothing is done yet.' },
];

/** Returns whether it waits: somebody says so, or parts of it are not done. */
export function isBlocked(row: WorkRow): boolean {
  return row.state === 'blocked' || (row.blocked_by.length > 0 && row.state !== 'done');
}

export function laneOf(row: WorkRow): Lane['name'] {
  switch (row.state) {
    case 'done':
      return 'done';
    case 'failed':
    case 'exhausted':
      return 'failed';
    case 'claimed':
    case 'working':
      return 'hands';
    case 'blocked':
      return 'blocked';
    case 'open':
    case 'released':
    case 'split':
    case 'left':
      if (row.is_ready) return 'ready';
      return isBlocked(row) ? 'blocked' : 'aside';
  }
}

/** Returns the rows of each lane, in the order in which they come. */
export function lanes(rows: readonly WorkRow[]): Record<Lane['name'], WorkRow[]> {
  const lanes: Record<Lane['name'], WorkRow[]> = { ready: [], hands: [], blocked: [], failed: [], aside: [], done: [] };
  for (const row of rows) lanes[laneOf(row)].push(row);
  return lanes;
}

/** Returns what of a piece of work is searched. */
export function texts(row: WorkRow): (string | undefined)[] {
  return [row.id, row.title, row.state, row.actor, row.parent, row.origin, ...row.blocked_by];
}

const STATES = Object.keys(WORK) as WorkState[];

/** Returns the buttons that narrow the board down. */
export function chipsOf(rows: readonly WorkRow[]): Chip[] {
  const n = new Map<string, number>();
  const add = (word: string): void => void n.set(word, (n.get(word) ?? 0) + 1);
  for (const row of rows) {
    add(row.state);
    if (row.is_ready) add('ready');
    if (row.state !== 'blocked' && isBlocked(row)) add('waits');
  }
  return [
    { word: 'ready', look: { sign: '▹', tone: 'accent', word: 'ready' }, n: n.get('ready') ?? 0, about: 'Nobody has it, and all it needs is done' },
    { word: 'waits', look: { sign: '◌', tone: 'warn', word: 'waits for parts' }, n: n.get('waits') ?? 0, about: 'Parts of it are not done' },
    ...STATES.map((state) => ({ word: state, look: WORK[state], n: n.get(state) ?? 0 })),
  ];
}

/** Returns the rows that a button of `chipsOf` stands for; all of them for a word that none has. */
export function narrow(rows: readonly WorkRow[], word: string): readonly WorkRow[] {
  if (word === 'ready') return rows.filter((row) => row.is_ready);
  if (word === 'waits') return rows.filter((row) => row.state !== 'blocked' && isBlocked(row));
  return STATES.some((state) => state === word) ? rows.filter((row) => row.state === word) : rows;
}

/** Says what it took so far, in a few words; nothing where it went well at once. */
export function troubles(row: WorkRow): string {
  const parts = [
    [row.n_retries, 'retry', 'retries'],
    [row.n_failures, 'failure', 'failures'],
    [row.n_claims > 1 ? row.n_claims : 0, 'claim', 'claims'],
  ] as const;
  return parts
    .filter(([n]) => n > 0)
    .map(([n, one, many]) => `${n} ${n === 1 ? one : many}`)
    .join(', ');
}
