import { describe, expect, it } from 'vitest';
import type { FleetRow } from '../../lib/api/rows';
import { arrange, certain, type Group, type Line } from './arrange';

const actor = (name: string, more: Partial<FleetRow> = {}): FleetRow => ({
  actor: name,
  presence: 'alive_by_events',
  first_seen: '2026-11-16T09:30:00Z',
  last_seen: '2026-11-16T09:30:00Z',
  is_ended: false,
  n_events: 1,
  ...more,
});

/** Writes lines as they look: two blanks for each step down. */
function drawn(rows: FleetRow[], group: Group = 'none', folded: string[] = []): string[] {
  return written(arrange(rows, group, new Set(folded)));
}

function written(lines: Line[]): string[] {
  return lines.map((line) =>
    line.kind === 'group' ? `[${line.name} ${line.n}]` : `${'  '.repeat(line.depth)}${line.row.actor}${line.isFolded ? ` +${line.nBelow}` : ''}`,
  );
}

const FLEET = [actor('c', { parent: 'a' }), actor('a', { host: 'quay' }), actor('b', { host: 'dock' }), actor('d', { parent: 'c' })];

describe('the board', () => {
  it('has those who were started below whoever started them', () => {
    expect(drawn(FLEET)).toEqual(['a', '  c', '    d', 'b']);
  });

  it('hides what stands below a folded actor', () => {
    expect(drawn(FLEET, 'none', ['a'])).toEqual(['a +1', 'b']);
  });

  it('groups by a word, and puts those without it last', () => {
    expect(drawn(FLEET, 'host')).toEqual(['[dock 1]', 'b', '[quay 1]', 'a', '[no host 2]', 'c', '  d']);
  });

  it('groups by the dialect of the last record', () => {
    const fleet = [actor('w', { dialect: 'needle' }), actor('r', { dialect: 'engine' }), actor('v', { dialect: 'needle' })];
    expect(drawn(fleet, 'dialect')).toEqual(['[engine 1]', 'r', '[needle 2]', 'w', 'v']);
  });

  it('shows everyone once, even those who started each other, or themselves', () => {
    const circle = [actor('x', { parent: 'y' }), actor('y', { parent: 'x' }), actor('z', { parent: 'z' })];
    expect(drawn(circle).map((line) => line.trim()).sort()).toEqual(['x', 'y', 'z']);
  });

  it('shows whoever was started by one that is not here at the top', () => {
    expect(drawn([actor('k', { parent: 'unknown' })])).toEqual(['k']);
  });
});

describe('the first rows of many', () => {
  const first = (rows: FleetRow[]): string[] => written(certain(arrange(rows, 'none', new Set())));

  it('are all shown where nobody above or below them is missing', () => {
    expect(first([actor('a', { children: ['c'] }), actor('b'), actor('c', { parent: 'a' })])).toEqual(['a', '  c', 'b']);
  });

  it('end before the one whose place the others decide', () => {
    expect(first([actor('a'), actor('b', { children: ['later'] }), actor('c')])).toEqual(['a']);
    expect(first([actor('a'), actor('b'), actor('c', { parent: 'later' }), actor('d')])).toEqual(['a', 'b']);
    expect(first([actor('a'), actor('x', { parent: 'y' }), actor('y', { parent: 'x' }), actor('b')])).toEqual(['a', 'b']);
  });

  it('stand where they stand among all, whatever the family', () => {
    // Everyone's parent is somebody by a small generator; children are told as the server tells them.
    const names = Array.from({ length: 60 }, (_, nth) => `n${nth}`);
    for (let seed = 1; seed < 200; seed++) {
      let state = seed;
      const next = (n: number): number => (state = (state * 48_271) % 2_147_483_647) % n;
      const parents = new Map(names.filter(() => next(5) === 0).map((name) => [name, names[next(60)]!]));
      const all = names.map((name) => {
        const parent = parents.get(name);
        return actor(name, { ...(parent ? { parent } : {}), children: names.filter((other) => other !== name && parents.get(other) === name) });
      });
      const shown = first(all.slice(0, 20));
      expect(drawn(all).slice(0, shown.length)).toEqual(shown);
    }
  });
});
