// Where the dashboard begins, behind what is asked for early: it shows the shell, and with it the first page if that is there.
import { firstShown, hasRows } from './early';
import { mount } from 'svelte';
import App from './App.svelte';
import { keys } from './lib/keys/keys.svelte';
import { firstPicture } from './lib/live/picture';
import { theme } from './lib/look/theme.svelte';
import { machine } from './lib/time/machine.svelte';
import './styles/tokens.css';
import './styles/base.css';

/** The shell waits no longer for the page. One picture of both is there sooner than one of the shell and another of the page. */
const PAGE_MS_MAX = 150;
/** Nor does anything wait longer for the style sheet, which may have failed. */
const STYLE_MS_MAX = 1_000;

theme.show();
keys.begin();
// What the store is made of can wait where the page has what it shows; where it has not, it may be that there is nothing to show.
if (hasRows) void firstPicture.then(() => machine.begin());
else machine.begin();

const [first] = await Promise.all([Promise.race([firstShown, late(PAGE_MS_MAX)]), parsed(), styled()]);
const target = document.getElementById('app');
if (target === null) throw new Error('the page has no place for the dashboard');
mount(App, { target, props: { first } });

/** Waits for the end of the page, where its rows are. */
async function parsed(): Promise<void> {
  if (document.readyState === 'loading') await once(document, 'DOMContentLoaded');
}

/** Waits for the style sheet: what is measured without it is wrong. */
async function styled(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="stylesheet"]');
  if (link !== null && link.sheet === null) await Promise.race([once(link, 'load'), once(link, 'error'), late(STYLE_MS_MAX)]);
}

function late(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms));
}

function once(target: EventTarget, event: string): Promise<void> {
  return new Promise((resolve) => target.addEventListener(event, () => resolve(), { once: true }));
}
