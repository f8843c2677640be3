// Answers that are there before whoever needs them is: the server gives one with the page, or one is asked for while scripts are on
// their way. The next request for the same address is given it instead of asking once more. An answer that nobody takes soon is let
// go, because it is no longer how things are.
import { authorization } from './token';

const GOOD_MS_MAX = 3_000;

const asked = new Map<string, Promise<unknown>>();

/** Asks now for what will be asked for in a moment, unless the page brings it. */
export function askEarly(address: string): void {
  if (isGiven(address)) return;
  const answer = fetch(address, { headers: authorization(), cache: 'no-store' });
  // What failed early is asked for again, by whoever can tell what is wrong.
  asked.set(address, answer.then((given) => (given.ok ? given.json() : undefined)).catch(() => undefined));
  setTimeout(() => asked.delete(address), GOOD_MS_MAX);
}

/** Returns what was given or asked for early at an address, once; undefined where nothing good is there. */
export async function takeEarly(address: string): Promise<unknown> {
  if (isGiven(address)) return takeGiven();
  const answer = asked.get(address);
  asked.delete(address);
  return answer;
}

const announced = (): HTMLMetaElement | null => document.querySelector('meta[name="first"]');

/** Whether the page, which is new, brings the answer of an address: its head says so before the answer is there. */
export function isGiven(address: string): boolean {
  const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return announced()?.content === address && performance.now() - (load?.responseStart ?? 0) < GOOD_MS_MAX;
}

/** Returns what the page brought; undefined where it took the server too long. */
function takeGiven(): unknown {
  const given = document.getElementById('first');
  announced()?.remove();
  given?.remove();
  return given === null ? undefined : (JSON.parse(given.textContent ?? '') as unknown);
}
