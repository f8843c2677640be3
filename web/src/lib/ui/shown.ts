// How many rows of how many are shown, in words.
import { count } from '../time/format';

/** Says so much of so many; of a part that it is the first, because what is found in all of them is not known yet. */
export function shownOf(n: number, reading: { readonly nAll: number; readonly isPart: boolean }): string {
  return `${reading.isPart ? 'first ' : ''}${count(n)} of ${count(reading.nAll)}`;
}
