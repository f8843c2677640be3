// How high each line of a long list is, measured or supposed, and which line is where: both in a few steps, however long the list is.
// The sums are kept in a tree by halves (Fenwick's), so that one line more that is measured does not mean to add up all the others.

export class Heights {
  /** What was measured; 0 is not yet. */
  #own = new Float32Array(0);
  /** Sums of how much lines differ from the usual height; its length is a power of two, and the first place is not used. */
  #sums = new Float64Array(1);
  #n = 0;

  constructor(readonly usual: number) {}

  get n(): number {
    return this.#n;
  }

  get total(): number {
    return this.topOf(this.#n);
  }

  /** Makes the list longer or shorter; the lines that stay keep their heights. */
  resize(n: number): void {
    if (n < this.#n) for (let line = n; line < this.#n; line++) this.#put(line, 0);
    if (n > this.#own.length) this.#grow(n);
    this.#n = n;
  }

  /** Takes a line's height, and returns by how much the list is higher now. */
  set(line: number, height: number): number {
    return line < 0 || line >= this.#n ? 0 : this.#put(line, height);
  }

  /** Returns where a line begins; behind the last line, where the list ends. */
  topOf(line: number): number {
    const end = Math.min(Math.max(line, 0), this.#n);
    let sum = end * this.usual;
    for (let at = end; at > 0; at -= at & -at) sum += this.#sums[at]!;
    return sum;
  }

  /** Returns the line that a place is in; the first or the last for what is beyond them. */
  lineAt(offset: number): number {
    let [line, left] = [0, offset];
    for (let step = this.#own.length; step > 0; step >>= 1) {
      const next = line + step;
      if (next > this.#n) continue;
      const height = step * this.usual + this.#sums[next]!;
      if (height > left) continue;
      line = next;
      left -= height;
    }
    return Math.min(line, Math.max(this.#n - 1, 0));
  }

  /** Returns the heights of a list in which lines stand elsewhere: `to` says where, or null for one that is not there. */
  moved(n: number, to: (line: number) => number | null): Heights {
    const moved = new Heights(this.usual);
    moved.resize(n);
    for (let line = 0; line < this.#n; line++) {
      const height = this.#own[line]!;
      const there = height > 0 ? to(line) : null;
      if (there !== null) moved.set(there, height);
    }
    return moved;
  }

  #put(line: number, height: number): number {
    const before = this.#own[line]! || this.usual;
    this.#own[line] = height;
    const more = (this.#own[line]! || this.usual) - before;
    if (more !== 0) for (let at = line + 1; at < this.#sums.length; at += at & -at) this.#sums[at]! += more;
    return more;
  }

  #grow(n: number): void {
    let size = 1;
    while (size < n) size *= 2;
    const own = new Float32Array(size);
    own.set(this.#own);
    this.#own = own;
    this.#sums = new Float64Array(size + 1);
    for (let line = 0; line < size; line++) {
      const at = line + 1;
      this.#sums[at]! += own[line]! > 0 ? own[line]! - this.usual : 0;
      const above = at + (at & -at);
      if (above <= size) this.#sums[above]! += this.#sums[at]!;
    }
  }
}
