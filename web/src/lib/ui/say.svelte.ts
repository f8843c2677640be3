// A short word to the person, shown for a moment and read aloud: that something was copied, that something cannot be done.

const SHOWN_MS = 2_500;

class Said {
  text = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    this.text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.text = ''), SHOWN_MS);
  }
}

export const said = new Said();

export function say(text: string): void {
  said.say(text);
}
