// Telling a person who looks elsewhere that something needs them: a short sound and a notification, each off until it is wanted.
import type { Need } from '../api/rows';
import { isBoolean, kept } from './kept.svelte';
import { NEED } from './status';

export const sound = kept('weft-sound', false, isBoolean);
export const notification = kept('weft-notification', false, isBoolean);

/** Returns the needs that were not there before. */
export function newNeeds(known: ReadonlySet<string>, needs: readonly Need[]): Need[] {
  return needs.filter((need) => !known.has(need.id));
}

/** Tells of every need that comes, for as long as the component that calls this is there. */
export function watchNeeds(needs: { readonly rows: Need[]; readonly isWhole: boolean }): void {
  let known: Set<string> | null = null;
  $effect(() => {
    // What is there when the page is opened is on the page, and nothing new; so are those that come behind the first ones.
    if (!needs.isWhole) return;
    const fresh = known === null ? [] : newNeeds(known, needs.rows);
    known = new Set(needs.rows.map((need) => need.id));
    if (fresh.length === 0) return;
    if (sound.value) ring();
    if (notification.value && document.visibilityState === 'hidden') notify(fresh);
  });
}

/** Asks the browser whether notifications are allowed, and remembers the wish if they are. */
export async function allowNotification(): Promise<boolean> {
  if (!('Notification' in window)) return false;
  notification.value = (await Notification.requestPermission()) === 'granted';
  return notification.value;
}

function notify(needs: Need[]): void {
  const [first] = needs;
  if (first === undefined || !('Notification' in window) || Notification.permission !== 'granted') return;
  const more = needs.length > 1 ? ` and ${needs.length - 1} more` : '';
  const shown = new Notification(`${NEED[first.kind].word}: ${first.actor}${more}`, { body: first.what, tag: 'weft-needs', icon: '/icon.svg' });
  shown.onclick = () => window.focus();
}

let audio: AudioContext | undefined;
let isWaiting = false;

/** Rings. A browser lets a page sound only after it was touched: what rings before that does so once, then. */
export function ring(): void {
  audio ??= new AudioContext();
  const context = audio;
  if (context.state === 'running') sing(context);
  else if (!isWaiting) {
    isWaiting = true;
    void context.resume().then(() => {
      isWaiting = false;
      sing(context);
    });
  }
}

/** Two soft tones, made here: no file, no request. */
function sing(audio: AudioContext): void {
  const begin = audio.currentTime;
  for (const [nth, pitch] of [659, 880].entries()) {
    const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0.0001, begin + nth * 0.12);
    loudness.gain.exponentialRampToValueAtTime(0.08, begin + nth * 0.12 + 0.02);
    loudness.gain.exponentialRampToValueAtTime(0.0001, begin + nth * 0.12 + 0.3);
    tone.connect(loudness).connect(audio.destination);
    tone.start(begin + nth * 0.12);
    tone.stop(begin + nth * 0.12 + 0.32);
  }
}
