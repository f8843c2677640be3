import { describe, expect, it } from 'vitest';
import type { Timeline } from '../../lib/api/answers';
import { arrangeLanes, lastBefore, readLanes, spanAt, spanBeside, type Span } from './lanes';

const span = (from: number, to: number): Span => ({ status: 'tool_use', from, to, position: from, what: '', n: 1 });
const SPANS = [span(0, 10), span(10, 20), span(50, 50), span(80, 95)];

describe('a lane', () => {
  it('finds what was at a moment', () => {
    expect([5, 15, 50, 90].map((at) => spanAt(SPANS, at, 0)?.from)).toEqual([0, 10, 50, 80]);
    expect(spanAt(SPANS, 30, 0)).toBeUndefined();
    expect(spanAt([], 5, 0)).toBeUndefined();
  });

  it('lets a pointer be a little beside a span that took no time', () => {
    expect(spanAt(SPANS, 47, 4)?.from).toBe(50);
    expect(spanAt(SPANS, 53, 4)?.from).toBe(50);
    expect(spanAt(SPANS, 60, 4)).toBeUndefined();
  });

  it('knows what began last', () => {
    expect([-1, 0, 9, 10, 1_000].map((at) => lastBefore(SPANS, at))).toEqual([-1, 0, 0, 1, 3]);
  });

  it('goes from span to span, from the last on, and stays at the ends', () => {
    expect(spanBeside(SPANS, null, 1)?.from).toBe(80);
    expect(spanBeside(SPANS, SPANS[3]!, -1)?.from).toBe(50);
    expect(spanBeside(SPANS, SPANS[3]!, 1)?.from).toBe(80);
    expect(spanBeside(SPANS, SPANS[0]!, -1)?.from).toBe(0);
    expect(spanBeside(SPANS, span(12, 13), 1)?.from).toBe(10);
    expect(spanBeside([], null, 1)).toBeUndefined();
  });
});

describe('lanes', () => {
  const answer: Timeline = {
    position: 9,
    from: '2026-11-16T09:00:00Z',
    to: '2026-11-16T10:00:00Z',
    n_records: 3,
    is_cut: false,
    n_more: 0,
    lanes: [
      { actor: 'worker', parent: 'lead', spans: [] },
      {
        actor: 'lead',
        session: 's-1',
        spans: [
          { status: 'waiting', from: '2026-11-16T09:20:00Z', to: '2026-11-16T09:19:00Z', position: 8, n: 1 },
          { status: 'thinking', from: '2026-11-16T09:10:00.250Z', to: '2026-11-16T09:20:00Z', position: 7, n: 2, what: 'x' },
        ],
      },
    ],
  };

  it('are read with their moments in order, and none ends before it began', () => {
    const { lanes } = readLanes(answer);
    expect(lanes[1]!.spans.map((one) => [one.position, one.to >= one.from])).toEqual([[7, true], [8, true]]);
    expect(lanes[1]!.spans[0]!.from).toBe(Date.parse('2026-11-16T09:10:00.250Z'));
  });

  it('stand below whoever started their actor', () => {
    const { lanes } = readLanes(answer);
    expect(arrangeLanes(lanes, '', new Set()).map((line) => `${line.depth} ${line.row.actor}`)).toEqual(['0 lead', '1 worker']);
    expect(arrangeLanes(lanes, '', new Set(['lead'])).map((line) => line.row.actor)).toEqual(['lead']);
    expect(arrangeLanes(lanes, 'S-1', new Set()).map((line) => line.row.actor)).toEqual(['lead']);
  });
});
