// Pages of a long list in memory: a bounded number, those that were looked at longest ago go first. Pure.

interface Held<Item> {
  items: Item[];
  /** Whether the list has changed since. */
  isStale: boolean;
}

export class Pages<Item> {
  /** By when they were last looked at. */
  readonly #held = new Map<number, Held<Item>>();

  constructor(
    readonly pageSize: number,
    readonly pagesMax: number,
  ) {}

  get nHeld(): number {
    return this.#held.size;
  }

  /** Returns an item if its page is here, stale or not. */
  get(nth: number): Item | undefined {
    return this.#held.get(Math.floor(nth / this.pageSize))?.items[nth % this.pageSize];
  }

  put(page: number, items: Item[]): void {
    this.#held.delete(page);
    this.#held.set(page, { items, isStale: false });
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.pagesMax) break;
      this.#held.delete(oldest);
    }
  }

  /** Says that the list has changed: what is here is shown until it is asked for again. */
  spoil(): void {
    for (const held of this.#held.values()) held.isStale = true;
  }

  clear(): void {
    this.#held.clear();
  }

  /** Returns the pages that are needed for the items from `first` to before `end`, and marks those that are here as looked at. */
  missing(first: number, end: number): number[] {
    const missing: number[] = [];
    for (let page = Math.floor(Math.max(first, 0) / this.pageSize); page * this.pageSize < end; page++) {
      const held = this.#held.get(page);
      if (held !== undefined) {
        this.#held.delete(page);
        this.#held.set(page, held);
      }
      if (held === undefined || held.isStale) missing.push(page);
    }
    return missing;
  }
}
