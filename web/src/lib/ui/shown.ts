// How many rows there are and how many of them are shown, in words. What is not known is not counted.
import { count } from '../time/format';

/** Whether what is counted is there, and all of it. */
export interface Counted {
  readonly isReady: boolean;
  readonly isPart?: boolean;
}

/** Says how many there are: nothing is said to be none before all of them are there. */
export function countOf(n: number, reading: Counted): string {
  return reading.isReady && reading.isPart !== true ? count(n) : '…';
}

/** Says so much of so many; of a part that it is the first, because what is found in all of them is not known yet. */
export function shownOf(n: number, reading: Counted & { readonly nAll: number }): string {
  if (!reading.isReady) return '…';
  return `${reading.isPart ? 'first ' : ''}${count(n)} of ${count(reading.nAll)}`;
}
