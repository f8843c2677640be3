// The server counts bytes of UTF-8, the browser counts units of UTF-16. These lead from one to the other.

/** Returns how many bytes stand before a place of a text. */
export function byteOf(text: string, idx: number): number {
  return new TextEncoder().encode(text.slice(0, idx)).length;
}

/** Returns the place that has so many bytes before it; of a place inside a character, the character's beginning. */
export function idxOf(text: string, byte: number): number {
  let [idx, bytes] = [0, 0];
  for (const character of text) {
    bytes += byteOf(character, character.length);
    if (bytes > byte) break;
    idx += character.length;
  }
  return idx;
}
