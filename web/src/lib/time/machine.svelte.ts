// The time machine: which position every panel shows. None means live. The position is in the address, as `at`.
import { store as askStore } from '../api/client';
import type { StoreInfo } from '../api/answers';
import { asFailure, type Failure } from '../api/failure';
import { link } from '../live/link.svelte';
import { asPosition } from '../route/place';
import { router } from '../route/router.svelte';
import { clock } from './clock.svelte';

/** How many times faster than it happened; the usual one is 1. */
export const SPEEDS = [0.5, 1, 2, 5, 10, 25, 50, 100] as const;

const STEP_MS = 200;
/** The ends of the store move only forward; while the present is followed, its position tells the last. */
const LOOK_EVERY_MS = 10_000;
/** An empty store is looked at more often, and so is a server that is gone: somebody waits for it. */
const LOOK_SOON_EVERY_MS = 1_000;

class Machine {
  store: StoreInfo | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  isPlaying = $state(false);
  speed: number = $state(10);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What is left of a step that was less than one position. */
  #owed = 0;

  /** The position that is shown; null is live. */
  readonly at: number | null = $derived(asPosition(router.place.query['at'] ?? ''));
  readonly first = $derived(this.store?.first?.position ?? 1);
  readonly last = $derived(Math.max(this.store?.last?.position ?? 0, link.position));
  /** Whether nothing has come yet. */
  readonly isEmpty = $derived(this.store !== null && this.store.last === null && link.position === 0);

  /** Looks at the store from now on. */
  begin(): void {
    void this.#look();
  }

  show(position: number): void {
    const within = Math.min(Math.max(Math.round(position), this.first), Math.max(this.last, this.first));
    router.change({ at: String(within) }, this.at === null ? 'push' : 'replace');
  }

  step(by: number): void {
    this.pause();
    this.show((this.at ?? this.last) + by);
  }

  live(): void {
    this.pause();
    clock.standAt(null);
    if (this.at !== null) router.change({ at: null });
  }

  play(): void {
    if (this.isPlaying || this.last === 0) return;
    if (this.at === null || this.at >= this.last) this.show(this.first);
    this.isPlaying = true;
    this.#owed = 0;
    this.#timer = setTimeout(() => this.#tick(), STEP_MS);
  }

  pause(): void {
    this.isPlaying = false;
    clearTimeout(this.#timer);
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  #tick(): void {
    if (!this.isPlaying) return;
    this.#owed += (this.#positionsPerSecond() * this.speed * STEP_MS) / 1_000;
    const by = Math.floor(this.#owed);
    if (by > 0 && this.at !== null) {
      this.#owed -= by;
      this.show(this.at + by);
      if (this.at >= this.last) this.pause();
    }
    if (this.isPlaying) this.#timer = setTimeout(() => this.#tick(), STEP_MS);
  }

  /** How fast records came, taken over the whole log. */
  #positionsPerSecond(): number {
    const { first, last } = this.store ?? {};
    if (!first || !last) return 1;
    const seconds = (Date.parse(last.received ?? '') - Date.parse(first.received ?? '')) / 1_000;
    return seconds > 0 ? (last.position - first.position) / seconds : 1;
  }

  async #look(): Promise<void> {
    try {
      this.store = await askStore();
      this.failure = null;
      link.tell('store', 'live');
    } catch (thrown) {
      this.failure = asFailure(thrown);
      // A connection can look open long after nobody is at its other end; a request that gets no answer tells sooner.
      if (this.failure.status === 0) link.tell('store', 'lost', this.failure);
    }
    const isSoon = this.isEmpty || this.failure?.status === 0;
    const everyMs = isSoon ? LOOK_SOON_EVERY_MS : LOOK_EVERY_MS;
    setTimeout(() => void this.#look(), everyMs);
  }
}

export const machine = new Machine();
