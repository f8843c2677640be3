// What is folded away in a long list, and which line shows which item then. Pure.

/** What stands below `head` up to before `end` is hidden. */
export interface Fold {
  head: number;
  end: number;
}

export class Folds {
  /** Those that are not within another, in order. */
  readonly #outer: Fold[] = [];
  /** How many items are hidden before each of them. */
  readonly #hiddenBefore: number[] = [];
  readonly nHidden: number;

  constructor(readonly all: readonly Fold[] = []) {
    let [until, nHidden] = [0, 0];
    for (const fold of [...all].sort((a, b) => a.head - b.head || b.end - a.end)) {
      if (fold.head < until || fold.end <= fold.head + 1) continue;
      this.#outer.push(fold);
      this.#hiddenBefore.push(nHidden);
      nHidden += fold.end - fold.head - 1;
      until = fold.end;
    }
    this.nHidden = nHidden;
  }

  /** Returns how many items a head hides; null if it is not folded. */
  nBelow(head: number): number | null {
    const fold = this.all.find((one) => one.head === head);
    return fold === undefined ? null : fold.end - fold.head - 1;
  }

  has(head: number): boolean {
    return this.nBelow(head) !== null;
  }

  with(fold: Fold): Folds {
    return new Folds([...this.all.filter((other) => other.head !== fold.head), fold]);
  }

  without(head: number): Folds {
    return new Folds(this.all.filter((fold) => fold.head !== head));
  }

  /** Unfolds whatever hides an item. */
  showing(nth: number): Folds {
    return this.all.some((fold) => hides(fold, nth)) ? new Folds(this.all.filter((fold) => !hides(fold, nth))) : this;
  }

  /** Returns the item of a line. */
  nthOf(line: number): number {
    const idx = lastWhere(this.#outer.length, (at) => this.#outer[at]!.head - this.#hiddenBefore[at]! < line);
    if (idx < 0) return line;
    const fold = this.#outer[idx]!;
    return line + this.#hiddenBefore[idx]! + (fold.end - fold.head - 1);
  }

  /** Returns the line of an item; of one that is hidden, that of the head that hides it. */
  lineOf(nth: number): number {
    const idx = lastWhere(this.#outer.length, (at) => this.#outer[at]!.head < nth);
    if (idx < 0) return nth;
    const fold = this.#outer[idx]!;
    const headLine = fold.head - this.#hiddenBefore[idx]!;
    return nth < fold.end ? headLine : nth - this.#hiddenBefore[idx]! - (fold.end - fold.head - 1);
  }
}

function hides(fold: Fold, nth: number): boolean {
  return fold.head < nth && nth < fold.end;
}

/** Returns the last index that is so, where those that are come first; -1 if none is. */
function lastWhere(length: number, isSo: (idx: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
