// Which lines an edit took out and put in: the longest common subsequence of both sides, within limits. Pure.

export type DiffKind = 'same' | 'old' | 'new' | 'gap';

export interface DiffLine {
  kind: DiffKind;
  /** The line; of a gap, how many lines are left out. */
  text: string;
}

export interface LineDiff {
  lines: DiffLine[];
  nOld: number;
  nNew: number;
  /** Whether the sides were too long to be compared line by line. */
  isRough: boolean;
  /** How many lines are not shown. */
  nCut: number;
}

/** Lines around a change that are shown. */
const AROUND = 3;
/** Pairs of lines that are compared at most: a table of this size takes a few milliseconds. */
export const PAIRS_MAX = 1_000_000;
export const LINES_SHOWN_MAX = 600;

export function lineDiff(old: string, new_: string): LineDiff {
  const [before, after] = [linesOf(old), linesOf(new_)];
  const nHead = commonHead(before, after);
  const nTail = commonTail(before, after, nHead);
  const [a, b] = [before.slice(nHead, before.length - nTail), after.slice(nHead, after.length - nTail)];
  const isRough = a.length * b.length > PAIRS_MAX;
  const changed = isRough ? [...mark('old', a), ...mark('new', b)] : compare(a, b);
  const all = [...mark('same', before.slice(0, nHead)), ...changed, ...mark('same', before.slice(before.length - nTail))];
  const folded = foldSame(all);
  return {
    lines: folded.slice(0, LINES_SHOWN_MAX),
    nOld: changed.filter((line) => line.kind === 'old').length,
    nNew: changed.filter((line) => line.kind === 'new').length,
    isRough,
    nCut: Math.max(0, folded.length - LINES_SHOWN_MAX),
  };
}

/** Nothing has no lines, and a line break at the end begins none. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function mark(kind: DiffKind, lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}

function commonTail(a: readonly string[], b: readonly string[], nHead: number): number {
  let n = 0;
  while (n < a.length - nHead && n < b.length - nHead && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  return n;
}

function compare(a: readonly string[], b: readonly string[]): DiffLine[] {
  const width = b.length + 1;
  // The length of the longest common subsequence of what follows each pair of places.
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const place = i * width + j;
      lengths[place] = a[i] === b[j] ? lengths[place + width + 1]! + 1 : Math.max(lengths[place + width]!, lengths[place + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const place = i * width + j;
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (j === b.length || (i < a.length && lengths[place + width]! >= lengths[place + 1]!)) lines.push({ kind: 'old', text: a[i++]! });
    else lines.push({ kind: 'new', text: b[j++]! });
  }
  return lines;
}

/** Leaves out what did not change and is far from what did. */
function foldSame(all: readonly DiffLine[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let idx = 0;
  while (idx < all.length) {
    if (all[idx]!.kind !== 'same') {
      lines.push(all[idx++]!);
      continue;
    }
    let end = idx;
    while (end < all.length && all[end]!.kind === 'same') end++;
    const first = idx === 0 ? idx : idx + AROUND;
    const last = end === all.length ? end : end - AROUND;
    // A gap of one line would take as much room as the line.
    if (last - first < 2) lines.push(...all.slice(idx, end));
    else lines.push(...all.slice(idx, first), { kind: 'gap', text: String(last - first) }, ...all.slice(last, end));
    idx = end;
  }
  return lines;
}
