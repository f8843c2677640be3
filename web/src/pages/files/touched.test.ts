import { describe, expect, it } from 'vitest';
import type { CollisionRow } from '../../lib/api/rows-work';
import { file } from './testing';
import { chipsOf, collided, collisionsOn, leaseWords, narrow, touchers } from './touched';

const at = (minute: number): string => `2026-11-16T09:${String(minute).padStart(2, '0')}:00Z`;
const collision = (kind: CollisionRow['kind'], what: string): CollisionRow => ({ kind, what, actors: ['a', 'b'], is_reported: false, first_seen: at(1), last_seen: at(2), positions: [] });
const lease = { holder: 'a', since: at(0), held_ms: 1, wanted_by: ['b'], is_stale: false, is_expired: false, position: 1 };

describe('who touched a file', () => {
  it('is told once, with what each did and when', () => {
    const row = file('/f', {
      readers: [{ actor: 'a', n: 3, first_seen: at(1), last_seen: at(5) }, { actor: 'b', n: 1, first_seen: at(9), last_seen: at(9) }],
      writers: [{ actor: 'a', n: 2, first_seen: at(2), last_seen: at(8) }],
    });
    expect(touchers(row)).toEqual([
      { actor: 'b', nReads: 1, nWrites: 0, first: at(9), last: at(9) },
      { actor: 'a', nReads: 3, nWrites: 2, first: at(1), last: at(8) },
    ]);
  });
});

describe('the files that are shown', () => {
  const rows = [file('/f/a', { heat: 2, n_writes: 1 }), file('/f/b', { lease }), file('/g/c')];
  const paths = collided([collision('file', '/f/a'), collision('folder', '/f'), collision('task', 't-1')]);

  it('are those that a button counts', () => {
    for (const chip of chipsOf(rows, paths)) expect(narrow(rows, chip.word, paths)).toHaveLength(chip.n);
    expect(narrow(rows, 'collided', paths).map((row) => row.path)).toEqual(['/f/a']);
    expect(narrow(rows, '', paths)).toBe(rows);
  });

  it('collide by themselves, or by their folder', () => {
    const all = [collision('file', '/f/a'), collision('folder', '/f'), collision('folder', '/f/a')];
    expect(collisionsOn('/f/a', all).map((one) => one.what)).toEqual(['/f/a', '/f', '/f/a']);
    expect(collisionsOn('/f/b', all).map((one) => one.what)).toEqual(['/f']);
  });
});

it('says who holds a file and who wants it', () => {
  expect(leaseWords(file('/f'))).toBe('');
  expect(leaseWords(file('/f', { lease }))).toBe('a; wanted by b');
  expect(leaseWords(file('/f', { lease: { ...lease, is_expired: true, wanted_by: [] } }))).toBe('a, ran out');
});
