// What time it was at the position that is shown, for pages that show no view as it was: a view's answer says so itself.
import { record as askRecord } from '../api/client';
import { clock } from './clock.svelte';
import { machine } from './machine.svelte';

/** A position that is passed by in play needs no time. */
const REST_MS = 120;

/** Lets the clock stand at the moment of the time machine for as long as the component that calls this is there. */
export function useMoment(): void {
  $effect(() => {
    const { at } = machine;
    if (at === null) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      askRecord(at, abort.signal).then(
        ({ received }) => clock.standAt(received ?? null),
        // A record that is gone or cannot be read has no time; the page says what is wrong with the server.
        () => undefined,
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  });
}
