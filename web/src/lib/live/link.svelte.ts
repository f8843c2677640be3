// How the page stands to the server: whether what it shows is live, and since when it is not.
// Every follower tells its own state; the worst of them counts, because one stale panel is enough to be wrong.
import { SvelteMap } from 'svelte/reactivity';
import type { Failure } from '../api/failure';

export type LinkState = 'connecting' | 'live' | 'catching-up' | 'lost';

/** What one follower says of itself. */
export interface Standing {
  state: LinkState;
  /** Since when it is so, in milliseconds since 1970. */
  since: number;
  failure: Failure | null;
  /** Records that the server has not folded yet. */
  behind: number;
}

const BADNESS: LinkState[] = ['live', 'catching-up', 'connecting', 'lost'];

class Link {
  readonly #standings = new SvelteMap<string, Standing>();
  readonly #hurries = new Set<() => void>();
  /** The last position that any panel shows. */
  position = $state(0);

  readonly worst: Standing = $derived.by(() => {
    let worst: Standing = { state: 'live', since: 0, failure: null, behind: 0 };
    if (this.#standings.size === 0) worst.state = 'connecting';
    for (const standing of this.#standings.values()) {
      if (BADNESS.indexOf(standing.state) > BADNESS.indexOf(worst.state)) worst = standing;
    }
    return worst;
  });

  /** Says how a follower stands; `since` stays while the state does. */
  tell(key: string, state: LinkState, failure: Failure | null = null, behind = 0): void {
    const before = this.#standings.get(key);
    // While it tries to come back it is still lost: since the first time.
    if (before?.state === 'lost' && state === 'connecting') return;
    const since = before?.state === state ? before.since : Date.now();
    if (before?.state === state && before.behind === behind && before.failure?.message === failure?.message) return;
    this.#standings.set(key, { state, since, failure, behind });
    // Where one gets through again, the others need not sit out their pauses.
    if (before?.state === 'lost' && state !== 'lost') for (const hurry of this.#hurries) hurry();
  }

  /** Calls a function whenever the server is back, until what is returned is called. */
  whenBack(hurry: () => void): () => void {
    this.#hurries.add(hurry);
    return () => void this.#hurries.delete(hurry);
  }

  forget(key: string): void {
    this.#standings.delete(key);
  }

  saw(position: number): void {
    if (position > this.position) this.position = position;
  }
}

export const link = new Link();
