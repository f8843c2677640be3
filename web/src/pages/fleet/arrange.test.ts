import { describe, expect, it } from 'vitest';
import type { FleetRow } from '../../lib/api/rows';
import { arrange, type Group } from './arrange';

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
  return arrange(rows, group, new Set(folded)).map((line) =>
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
