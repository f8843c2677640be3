// Whether anybody looks: a tab that is hidden for long follows nothing, and goes on when it is looked at again.

/** A glance at another tab is no reason to connect anew. */
const HIDDEN_MS_MAX = 30_000;

class Visible {
  /** Whether the tab is looked at, or was a moment ago. */
  isNear = $state(true);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#timer);
      if (document.visibilityState === 'visible') this.isNear = true;
      else this.#timer = setTimeout(() => (this.isNear = false), HIDDEN_MS_MAX);
    });
  }
}

export const visible = new Visible();
