// The subscriptions as they are now, asked for again and again: they have no view, and no past.
import { asFailure, isAbort, type Failure } from '../../lib/api/failure';
import { subscriptions, type Subscription } from '../../lib/api/subs';
import { link } from '../../lib/live/link.svelte';
import { visible } from '../../lib/live/visible.svelte';

const ASK_EVERY_MS = 2_000;
const LINK = 'subscriptions';

export class SubscriptionFeed {
  rows: Subscription[] = $state.raw([]);
  isReady = $state(false);
  failure: Failure | null = $state.raw(null);
  #abort = new AbortController();

  get isStale(): boolean {
    return this.isReady && this.failure !== null;
  }

  /** Asks for as long as the component that calls this is there. */
  constructor() {
    $effect(() => {
      if (!visible.isNear) return;
      const timer = setInterval(() => void this.ask(), ASK_EVERY_MS);
      void this.ask();
      return () => {
        clearInterval(timer);
        this.#abort.abort();
        link.forget(LINK);
      };
    });
  }

  /** Asks once, as after a change; an older question is dropped. */
  async ask(): Promise<void> {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    try {
      this.rows = await subscriptions(abort.signal);
      [this.isReady, this.failure] = [true, null];
      link.tell(LINK, 'live');
    } catch (thrown) {
      if (isAbort(thrown)) return;
      this.failure = asFailure(thrown);
      link.tell(LINK, 'lost', this.failure);
    }
  }
}
