// The spans of a trace as lines of a waterfall: which are shown, what stands below each, and the stretch that all are drawn on. Pure.
import type { TraceSpan } from '../../lib/api/answers';
import type { Stretch } from '../../lib/time/scale';

export interface SpanLine {
  span: TraceSpan;
  /** What tells it from the others: spans may lack an id, and two may have one. */
  key: string;
  depth: number;
  nBelow: number;
  isFolded: boolean;
  /** Whether something below it failed that a fold hides. */
  hidesError: boolean;
  from: number;
  /** When it ended; the same for what is known of one moment alone. */
  to: number;
}

/** Levels that are drawn apart; what is deeper is drawn as deep. */
export const DEPTH_MAX = 16;

/** Returns the lines of spans in the order of the tree, without those below a folded one. */
export function waterfall(spans: readonly TraceSpan[], folded: ReadonlySet<string>): SpanLine[] {
  const lines: SpanLine[] = [];
  const ends = branchEnds(spans);
  const moments = momentsOf(spans);
  let idx = 0;
  while (idx < spans.length) {
    const span = spans[idx]!;
    const end = ends[idx]!;
    const key = keyOf(span, idx);
    const isFolded = folded.has(key) && end > idx + 1;
    lines.push({
      span,
      key,
      depth: Math.min(span.depth, DEPTH_MAX),
      nBelow: end - idx - 1,
      isFolded,
      hidesError: isFolded && spans.slice(idx + 1, end).some((below) => below.is_error),
      ...moments[idx]!,
    });
    idx = isFolded ? end : idx + 1;
  }
  return lines;
}

function keyOf(span: TraceSpan, idx: number): string {
  return span.id ?? `record ${span.positions[0] ?? idx}`;
}

/** Returns for each span the index behind the last that stands below it. */
function branchEnds(spans: readonly TraceSpan[]): number[] {
  const ends = new Array<number>(spans.length).fill(spans.length);
  const open: number[] = [];
  spans.forEach(({ depth }, idx) => {
    while (open.length > 0 && spans[open.at(-1)!]!.depth >= depth) ends[open.pop()!] = idx;
    open.push(idx);
  });
  return ends;
}

/** Returns when each began and ended. One that tells no time is put where the one before it began. */
function momentsOf(spans: readonly TraceSpan[]): Stretch[] {
  let before = spans.map((span) => Date.parse(span.from ?? '')).find(Number.isFinite) ?? 0;
  return spans.map((span) => {
    const told = Date.parse(span.from ?? '');
    const from = Number.isFinite(told) ? told : before;
    const ended = Date.parse(span.to ?? '');
    before = from;
    return { from, to: Math.max(from, Number.isFinite(ended) ? ended : from, from + (span.duration_ms ?? 0)) };
  });
}

/** Returns the stretch that has every span in it. */
export function stretchOf(lines: readonly Pick<SpanLine, 'from' | 'to'>[]): Stretch {
  let [from, to] = [Infinity, -Infinity];
  for (const line of lines) {
    from = Math.min(from, line.from);
    to = Math.max(to, line.to);
  }
  if (!Number.isFinite(from)) return { from: 0, to: 1 };
  return { from, to: Math.max(to, from + 1) };
}

/** Returns the key of the next line that failed, behind or before a line, and round again from the other end. */
export function nextError(lines: readonly SpanLine[], key: string | null, step: 1 | -1): SpanLine | undefined {
  const here = lines.findIndex((line) => line.key === key);
  const start = here < 0 && step < 0 ? 0 : here;
  for (let n = 1; n <= lines.length; n++) {
    const line = lines[(start + step * n + lines.length * 2) % lines.length];
    if (line?.span.is_error) return line;
  }
  return undefined;
}
