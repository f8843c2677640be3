// Who hears which key. Of several that hear one action the last to come is asked first: a drawer closes before what is below it.
import { KEYS, type Action } from './table';

/** Does what the key is for; false lets the next one hear it. */
export type Hear = (event: KeyboardEvent) => boolean | void;

/** How long the second key of two may take. */
const SECOND_MS_MAX = 1_500;

const ACTIONS = new Map<string, Action>(KEYS.flatMap((row) => row.keys.map((key) => [key, row.action])));
/** Keys that are heard also while a person types, or something is open above the page. */
const WHILE_TYPING: Action[] = ['escape', 'palette'];

class Keys {
  readonly #hearers = new Map<Action, Hear[]>();
  #isGoing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  begin(): void {
    window.addEventListener('keydown', (event) => this.#press(event));
  }

  add(action: Action, hear: Hear): () => void {
    const hearers = this.#hearers.get(action) ?? [];
    this.#hearers.set(action, [...hearers, hear]);
    return () => {
      const rest = (this.#hearers.get(action) ?? []).filter((other) => other !== hear);
      this.#hearers.set(action, rest);
    };
  }

  #press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.metaKey) return;
    const action = this.#actionOf(event);
    if (action === undefined) return;
    const isAbove = document.querySelector('dialog[open]') !== null;
    if ((isAbove || isTyping(event.target)) && !WHILE_TYPING.includes(action)) return;
    if (action === 'open' && isPressable(event.target)) return;
    for (const hear of [...(this.#hearers.get(action) ?? [])].reverse()) {
      if (hear(event) !== false) {
        event.preventDefault();
        return;
      }
    }
  }

  #actionOf(event: KeyboardEvent): Action | undefined {
    if (event.ctrlKey) return ACTIONS.get(`Ctrl+${event.key.toLowerCase()}`);
    if (this.#isGoing) {
      this.#isGoing = false;
      clearTimeout(this.#timer);
      return ACTIONS.get(`g ${event.key}`);
    }
    if (event.key === 'g' && !isTyping(event.target)) {
      this.#isGoing = true;
      this.#timer = setTimeout(() => (this.#isGoing = false), SECOND_MS_MAX);
      return undefined;
    }
    return ACTIONS.get(event.key);
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Enter on a button or a link is the browser's own. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, summary') !== null;
}

export const keys = new Keys();

/** Hears actions for as long as the component that calls this is there. */
export function useKeys(hearers: Partial<Record<Action, Hear>>): void {
  $effect(() => {
    const removes = Object.entries(hearers).map(([action, hear]) => keys.add(action as Action, hear as Hear));
    return () => removes.forEach((remove) => remove());
  });
}
