// The one clock of the page: it ticks once a second for all ages, and stands still at a moment of the past.
import { untrack } from 'svelte';

const TICK_MS = 1_000;

class Clock {
  #local = $state(Date.now());
  /** How far the server's clock is ahead of this one. */
  #aheadMs = 0;
  /** The moment that is shown instead of now. */
  #past: number | null = $state(null);

  constructor() {
    setInterval(() => {
      if (document.visibilityState === 'visible') this.#local = Date.now() + this.#aheadMs;
    }, TICK_MS);
    document.addEventListener('visibilitychange', () => (this.#local = Date.now() + this.#aheadMs));
  }

  /** What time it is, in milliseconds since 1970. */
  readonly now = $derived(this.#past ?? this.#local);

  /** What time it is to the millisecond; nothing is told when it changes. */
  get exact(): number {
    return untrack(() => this.#past) ?? Date.now() + this.#aheadMs;
  }

  /** Takes the server's word for what time it is. */
  heard(at: string): void {
    const ahead = Date.parse(at) - Date.now();
    if (Number.isFinite(ahead)) this.#aheadMs = ahead;
  }

  /** Stands still at a moment, or goes on. */
  standAt(at: string | null): void {
    const moment = at === null ? Number.NaN : Date.parse(at);
    this.#past = Number.isFinite(moment) ? moment : null;
  }
}

export const clock = new Clock();
