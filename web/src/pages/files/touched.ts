// Who touched a file, and which files are shown. Pure.
import type { CollisionRow, FileRow } from '../../lib/api/rows-work';
import type { Chip } from '../../lib/ui/Chips.svelte';

export interface Toucher {
  actor: string;
  nReads: number;
  nWrites: number;
  first: string;
  last: string;
}

/** Returns everyone who read or changed a file, who was there last first. */
export function touchers(row: FileRow): Toucher[] {
  const byActor = new Map<string, Toucher>();
  const add = (actor: string, reads: number, writes: number, first: string, last: string): void => {
    const known = byActor.get(actor);
    if (known === undefined) {
      byActor.set(actor, { actor, nReads: reads, nWrites: writes, first, last });
      return;
    }
    known.nReads += reads;
    known.nWrites += writes;
    if (first < known.first) known.first = first;
    if (last > known.last) known.last = last;
  };
  for (const one of row.readers) add(one.actor, one.n, 0, one.first_seen, one.last_seen);
  for (const one of row.writers) add(one.actor, 0, one.n, one.first_seen, one.last_seen);
  return [...byActor.values()].sort((a, b) => (a.last < b.last ? 1 : a.last > b.last ? -1 : 0));
}

/** Returns the collisions on each file, and on its folder. */
export function collisionsOn(path: string, collisions: readonly CollisionRow[]): CollisionRow[] {
  return collisions.filter((one) => one.what === path || (one.kind === 'folder' && path.slice(0, path.lastIndexOf('/')) === one.what));
}

/** Returns the paths that somebody collided on. */
export function collided(collisions: readonly CollisionRow[]): Set<string> {
  return new Set(collisions.filter((one) => one.kind === 'file').map((one) => one.what));
}

type Test = (row: FileRow, collided: ReadonlySet<string>) => boolean;

const KINDS: (Omit<Chip, 'n'> & { test: Test })[] = [
  { word: 'hot', look: { sign: '▲', tone: 'bad', word: 'hot' }, about: 'Touched in the last hour', test: (row) => row.heat > 0 },
  { word: 'changed', look: { sign: '✎\uFE0E', tone: 'busy', word: 'changed' }, about: 'Somebody changed it', test: (row) => row.n_writes > 0 },
  { word: 'held', look: { sign: '▣', tone: 'accent', word: 'held' }, about: 'Somebody holds it', test: (row) => row.lease !== undefined },
  { word: 'wanted', look: { sign: '◌', tone: 'warn', word: 'wanted' }, about: 'Somebody holds it, and somebody else wants it', test: (row) => (row.lease?.wanted_by.length ?? 0) > 0 },
  { word: 'collided', look: { sign: '×', tone: 'warn', word: 'collided' }, about: 'Two changed it at once in the last hour', test: (row, paths) => paths.has(row.path) },
];

export function chipsOf(rows: readonly FileRow[], paths: ReadonlySet<string>): Chip[] {
  return KINDS.map(({ test, ...chip }) => ({ ...chip, n: rows.filter((row) => test(row, paths)).length }));
}

export function narrow(rows: readonly FileRow[], word: string, paths: ReadonlySet<string>): readonly FileRow[] {
  const kind = KINDS.find((one) => one.word === word);
  return kind === undefined ? rows : rows.filter((row) => kind.test(row, paths));
}

/** Says how a lease stands, in a few words. */
export function leaseWords(row: FileRow): string {
  if (row.lease === undefined) return '';
  const { holder, is_expired, is_stale, wanted_by } = row.lease;
  const stands = is_expired ? ', ran out' : is_stale ? ', stale' : '';
  return `${holder}${stands}${wanted_by.length > 0 ? `; wanted by ${wanted_by.join(', ')}` : ''}`;
}
