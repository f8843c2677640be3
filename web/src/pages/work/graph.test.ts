import { describe, expect, it } from 'vitest';
import type { WorkRow } from '../../lib/api/rows-work';
import { NODES_MAX, graphOf, pathOf } from './graph';
import { work } from './testing';

const all = (rows: readonly WorkRow[]): Set<string> => new Set(rows.map((row) => row.id));
const drawn = (rows: readonly WorkRow[], found = all(rows)): string[] =>
  graphOf(rows, found).edges.map((edge) => `${edge.from}>${edge.to} ${edge.kind}${edge.isOpen ? ' open' : ''}`).sort();

const WHOLE = work('whole', {
  state: 'split',
  blocked_by: ['p2'],
  children: [
    { id: 'p1', origin: 'child', state: 'done' },
    { id: 'p2', origin: 'child', state: 'open' },
    { id: 'other', origin: 'alternative', state: 'open' },
  ],
});
const ROWS = [WHOLE, work('p1', { state: 'done', parent: 'whole', origin: 'child' }), work('p2', { parent: 'whole', origin: 'child' }), work('other', { parent: 'whole', origin: 'alternative' }), work('alone')];

describe('the graph of work', () => {
  it('has parts before the whole and alternatives behind it, each once', () => {
    expect(drawn(ROWS)).toEqual(['p1>whole needs', 'p2>whole needs open', 'whole>other alternative']);
    const at = (id: string): number => graphOf(ROWS, all(ROWS)).nodes.find((node) => node.id === id)?.x ?? -1;
    expect(at('p1')).toBeLessThan(at('whole'));
    expect(at('whole')).toBeLessThan(at('other'));
  });

  it('counts what hangs together with nothing instead of drawing it', () => {
    const graph = graphOf(ROWS, all(ROWS));
    expect(graph.nodes.map((node) => node.id).sort()).toEqual(['other', 'p1', 'p2', 'whole']);
    expect(graph.nAlone).toBe(1);
  });

  it('shows what was asked for with what is beside it', () => {
    const graph = graphOf(ROWS, new Set(['p2']));
    expect(graph.nodes.map((node) => [node.id, node.isFound])).toEqual([['whole', false], ['p2', true]]);
  });

  it('draws no line to what it does not know', () => {
    expect(drawn([work('a', { blocked_by: ['gone'], parent: 'gone too' })])).toEqual([]);
  });

  it('ends where pieces of work wait for each other', () => {
    const circle = [work('a', { blocked_by: ['b'] }), work('b', { blocked_by: ['a'] })];
    expect(drawn(circle)).toEqual(['a>b needs open', 'b>a needs open']);
  });

  it('draws whole groups up to a limit, and says how many are left out', () => {
    const pairs = Array.from({ length: NODES_MAX }, (_, nth) => [work(`w${nth}`, { blocked_by: [`v${nth}`] }), work(`v${nth}`)]).flat();
    const graph = graphOf(pairs, all(pairs));
    expect(graph.nodes).toHaveLength(NODES_MAX);
    expect(graph.nCut).toBe(NODES_MAX);
  });

  it('puts no two boxes on each other', () => {
    const { nodes } = graphOf(ROWS, all(ROWS));
    for (const [nth, one] of nodes.entries()) {
      for (const two of nodes.slice(nth + 1)) {
        const isApart = one.x + one.width <= two.x || two.x + two.width <= one.x || one.y + one.height <= two.y || two.y + two.height <= one.y;
        expect(isApart).toBe(true);
      }
    }
  });

  it('writes ways as paths', () => {
    expect(pathOf([])).toBe('');
    expect(pathOf([{ x: 0, y: 0 }, { x: 10, y: 4 }])).toBe('M0 0C5 0 5 4 10 4');
  });
});
