// Answers that are asked for before whoever needs them is there: the next request for the same address is given them instead of
// asking once more. An answer that nobody takes soon is let go, because it is no longer how things are.
import { authorization } from './token';

const GOOD_MS_MAX = 3_000;

const asked = new Map<string, Promise<Response>>();

/** Asks now for what will be asked for in a moment. */
export function askEarly(address: string): void {
  const answer = fetch(address, { headers: authorization(), cache: 'no-store' });
  // Whoever takes it hears what is wrong; nobody else has to.
  answer.catch(() => undefined);
  asked.set(address, answer);
  setTimeout(() => asked.delete(address), GOOD_MS_MAX);
}

/** Returns what was asked for early at an address, once; undefined where nothing good is there. */
export async function takeEarly(address: string): Promise<Response | undefined> {
  const answer = asked.get(address);
  asked.delete(address);
  // What failed early is asked for again, by whoever can tell what is wrong.
  const given = await answer?.catch(() => undefined);
  return given?.ok ? given : undefined;
}
