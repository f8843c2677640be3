import { describe, expect, it } from 'vitest';
import type { TraceSpan } from '../../lib/api/answers';
import { nextError, stretchOf, waterfall } from './waterfall';

const second = (n: number): string => new Date(Date.UTC(2026, 10, 16, 9, 30, n)).toISOString();

function span(id: string, depth: number, from: number, more: Partial<TraceSpan> = {}): TraceSpan {
  return { id, depth, name: id, from: second(from), positions: [from], ...more };
}

const TRACE = [
  span('run', 0, 0, { to: second(9) }),
  span('ask', 1, 1, { duration_ms: 2_000 }),
  span('call', 2, 2, { is_error: true }),
  span('edit', 1, 5, { to: second(6) }),
  span('other', 0, 7),
];

const drawn = (folded: string[] = []): string[] =>
  waterfall(TRACE, new Set(folded)).map((line) => `${'  '.repeat(line.depth)}${line.key}${line.isFolded ? ` +${line.nBelow}` : ''}${line.hidesError ? ' !' : ''}`);

describe('a waterfall', () => {
  it('has every span below its parent', () => {
    expect(drawn()).toEqual(['run', '  ask', '    call', '  edit', 'other']);
  });

  it('hides what stands below a folded span, and says if that failed', () => {
    expect(drawn(['ask'])).toEqual(['run', '  ask +1 !', '  edit', 'other']);
    expect(drawn(['run'])).toEqual(['run +3 !', 'other']);
  });

  it('has nothing to fold where nothing stands below', () => {
    expect(drawn(['other', 'edit'])).toEqual(drawn());
  });

  it('draws all on the stretch from the first to the last', () => {
    const { from, to } = stretchOf(waterfall(TRACE, new Set()));
    expect([new Date(from).toISOString(), new Date(to).toISOString()]).toEqual([second(0), second(9)]);
    expect(stretchOf([])).toEqual({ from: 0, to: 1 });
  });

  it('lets a span last as long as it says, and a moment for one that says nothing', () => {
    const [, ask, call] = waterfall(TRACE, new Set());
    expect(ask!.to - ask!.from).toBe(2_000);
    expect(call!.to - call!.from).toBe(0);
  });

  it('puts what tells neither an id nor a time behind the one before it', () => {
    const { id: _id, from: _from, ...bare } = span('x', 1, 0);
    const [, line] = waterfall([span('run', 0, 3), { ...bare, positions: [77] }], new Set());
    expect(line).toMatchObject({ key: 'record 77', from: Date.parse(second(3)), to: Date.parse(second(3)) });
  });

  it('goes from failure to failure, round and round', () => {
    const lines = waterfall([...TRACE, span('late', 0, 8, { is_error: true })], new Set());
    expect([nextError(lines, null, 1), nextError(lines, 'call', 1), nextError(lines, 'late', 1), nextError(lines, 'call', -1), nextError(lines, null, -1)].map((line) => line?.key)).toEqual(['call', 'late', 'call', 'late', 'late']);
    expect(nextError(waterfall([span('a', 0, 1)], new Set()), null, 1)).toBeUndefined();
  });
});
