// The lanes of the timeline: the server's answer with its moments as numbers, the lanes in order, and who is where. Pure.
import type { LaneSpan, Timeline } from '../../lib/api/answers';
import { tree, type ActorLine } from '../fleet/arrange';

export type SpanStatus = LaneSpan['status'];

/** A span with its moments as numbers. */
export interface Span {
  status: SpanStatus;
  from: number;
  to: number;
  position: number;
  what: string;
  n: number;
}

export interface Lane {
  actor: string;
  session?: string;
  parent?: string;
  /** By when they began. */
  spans: Span[];
}

export interface Lanes {
  /** What the lanes are known of. */
  from: number;
  to: number;
  position: number;
  nRecords: number;
  isCut: boolean;
  nMore: number;
  lanes: Lane[];
}

export type LaneLine = ActorLine<Lane>;

export function readLanes(answer: Timeline): Lanes {
  return {
    from: Date.parse(answer.from),
    to: Date.parse(answer.to),
    position: answer.position,
    nRecords: answer.n_records,
    isCut: answer.is_cut,
    nMore: answer.n_more,
    lanes: answer.lanes.map(({ spans, ...lane }) => ({ ...lane, spans: spans.map(readSpan).sort((a, b) => a.from - b.from) })),
  };
}

function readSpan(span: LaneSpan): Span {
  const from = Date.parse(span.from);
  return { status: span.status, from, to: Math.max(from, Date.parse(span.to)), position: span.position, what: span.what ?? '', n: span.n };
}

/** Returns the lanes that a search finds, each below whoever started its actor. */
export function arrangeLanes(lanes: readonly Lane[], search: string, folded: ReadonlySet<string>): LaneLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? lanes : lanes.filter(({ actor, session }) => words.every((word) => `${actor} ${session ?? ''}`.toLowerCase().includes(word)));
  return tree(found, folded);
}

/** Returns the span at a moment; of those that are near enough, the one that began last. */
export function spanAt(spans: readonly Span[], at: number, nearMs: number): Span | undefined {
  const last = lastBefore(spans, at + nearMs);
  // Spans of one lane follow each other, so that only those just before the moment can reach to it.
  return spans.slice(Math.max(0, last - 3), last + 1).findLast((span) => span.to + nearMs >= at);
}

/** Returns the index of the last span that began by a moment; -1 if none did. */
export function lastBefore(spans: readonly Span[], at: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.from <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the span beside another one; the last if there is none to begin with. */
export function spanBeside(spans: readonly Span[], from: Span | null, step: 1 | -1): Span | undefined {
  if (from === null) return spans.at(-1);
  const idx = spans.findIndex((span) => span.position === from.position && span.from === from.from);
  // Whatever was chosen may have been merged into another since.
  const near = idx < 0 ? Math.max(0, lastBefore(spans, from.from)) : idx + step;
  return spans[Math.min(Math.max(near, 0), spans.length - 1)];
}
