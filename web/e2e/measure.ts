// Measures the dashboard in Chromium and prints a table and JSON: how soon the first picture is there on a large store, how busy the
// page is while events come, whether its memory grows, and how large its files are.
//
//   WEFT_BIN=…  the binary          MEASURE_EVENTS=1000000  events in the store
//   MEASURE_RATE=1000  events/s     MEASURE_MINUTES=30      how long it is left open
//   MEASURE_LOADS=5    first pictures
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { launch, live, settled } from './browser.ts';
import { Server, line } from './server.ts';

const number = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const N_EVENTS = number('MEASURE_EVENTS', 1_000_000);
const RATE = number('MEASURE_RATE', 1_000);
const MINUTES = number('MEASURE_MINUTES', 30);
const N_LOADS = number('MEASURE_LOADS', 5);
/** The server has just been started on a store without snapshots, and others may be at work beside it. */
const CATCH_UP_MS_MAX = 300_000;
/** How often a page's heap is looked at. */
const LOOKS = 100;
/** Events are made and taken in by parts: a process gives back no more than this at once. */
const PART_EVENTS = 100_000;
const POST_EVERY_MS = 100;
const PAGES = ['/fleet', '/inbox', '/log'];
/** Pages that are left open. */
const GROWING = ['/fleet', '/log'];

interface Figure {
  what: string;
  value: number;
  unit: string;
  wanted: string;
}

const server = new Server();
const figures: Figure[] = [];
let browser: Browser;

function note(what: string, value: number, unit: string, wanted: string): void {
  figures.push({ what, value: Math.round(value * 10) / 10, unit, wanted });
}

beforeAll(async () => {
  for (let done = 0, seed = 1; done < N_EVENTS; done += PART_EVENTS, seed++) server.ingestDemo(Math.min(PART_EVENTS, N_EVENTS - done), seed);
  await server.start();
  browser = await launch(['--enable-precise-memory-info', '--js-flags=--expose-gc']);
});
afterAll(async () => {
  await browser?.close();
  await server.end();
});

/** How long after the first byte the page has rows, taken from the page's own clock; the median of several loads. */
async function firstPicture(path: string): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < N_LOADS; nth++) {
    const context = await browser.newContext({ viewport: { width: 1360, height: 850 } });
    const page = await context.newPage();
    // A row that is in the document is painted with the next frame.
    await page.addInitScript(() => {
      const look = (): void => {
        if (document.querySelector('main [role=gridcell]') === null) return void requestAnimationFrame(look);
        requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('picture')));
      };
      requestAnimationFrame(look);
    });
    await page.goto(server.pages + path);
    const time = await page.waitForFunction(() => {
      const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      const [picture] = performance.getEntriesByName('picture');
      return picture && load ? picture.startTime - load.responseStart : null;
    });
    times.push((await time.jsonValue()) ?? 0);
    await context.close();
  }
  return median(times);
}

const median = (all: number[]): number => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

/** Sends events at the rate until it is told to stop, and returns how many it sent. */
function send(): { stop: () => Promise<number> } {
  let [n, isOn] = [0, true];
  const began = performance.now();
  const loop = (async () => {
    while (isOn) {
      const due = Math.floor(((performance.now() - began) / 1_000) * RATE);
      const lines = Array.from({ length: due - n }, (_, nth) => event(n + nth));
      n = due;
      if (lines.length > 0) {
        await fetch(`${server.address}/v1/events?durability=written`, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: lines.join('\n') });
      }
      await new Promise((resolve) => setTimeout(resolve, POST_EVERY_MS));
    }
    return n;
  })();
  return {
    stop: () => {
      isOn = false;
      return loop;
    },
  };
}

const TYPES = ['activity.progress', 'activity.thinking', 'activity.tool_use', 'coordination.blocked'];
const event = (nth: number): string =>
  line({ event_type: TYPES[nth % TYPES.length] ?? '', agent_id: `busy-${nth % 200}`, session_id: `busy-${nth % 200}`, message: `step ${nth}` });

const spent = async (cdp: CDPSession): Promise<number> => {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
};

async function heap(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await cdp.send('Runtime.getHeapUsage')) as { usedSize: number };
  return usedSize / (1 << 20);
}

async function open(path: string): Promise<{ page: Page; cdp: CDPSession }> {
  const page = await (await browser.newContext({ viewport: { width: 1360, height: 850 } })).newPage();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.goto(server.pages + path);
  await settled(page);
  await live(page, CATCH_UP_MS_MAX);
  return { page, cdp };
}

/** How much of a time the page's main thread is busy while events come. */
async function busyShare(path: string, seconds: number): Promise<number> {
  const { page, cdp } = await open(path);
  const sending = send();
  await page.waitForTimeout(2_000);
  const [before, began] = [await spent(cdp), performance.now()];
  await page.waitForTimeout(seconds * 1_000);
  const share = ((await spent(cdp)) - before) / ((performance.now() - began) / 1_000);
  await sending.stop();
  await page.context().close();
  return share * 100;
}

/** The middle of some numbers. */
const middle = (all: number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

/**
 * What each page holds in the beginning and in the end, while events come: the middle of ten looks each, in the first and the last
 * tenth of the time, because one look may fall into the moment in which rows are read anew. All pages are open at once.
 */
async function growth(paths: string[], minutes: number): Promise<[number, number][]> {
  const opened: Awaited<ReturnType<typeof open>>[] = [];
  for (const path of paths) opened.push(await open(path));
  const sending = send();
  const looks: number[][] = [];
  for (let nth = 0; nth < LOOKS; nth += 1) {
    await new Promise((resolve) => setTimeout(resolve, (minutes / LOOKS) * 60_000));
    looks.push(await Promise.all(opened.map(({ cdp }) => heap(cdp))));
  }
  await sending.stop();
  for (const { page } of opened) await page.context().close();
  const of = (nth: number, part: number[][]): number => middle(part.map((look) => look[nth] ?? 0));
  return paths.map((_, nth) => [of(nth, looks.slice(0, LOOKS / 10)), of(nth, looks.slice(-LOOKS / 10))]);
}

function gzippedBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => {
    const file = join(folder, name);
    return sum + (statSync(file).isDirectory() ? gzippedBytes(file) : gzipSync(readFileSync(file), { level: 9 }).length);
  }, 0);
}

it('measures', async () => {
  for (const path of PAGES) note(`first picture of ${path} on ${N_EVENTS} events`, await firstPicture(path), 'ms', '< 500');
  const seconds = Math.min(20, MINUTES * 60);
  for (const path of PAGES) note(`main thread of ${path} at ${RATE} events/s`, await busyShare(path, seconds), '%', '< 30');
  const grown = await growth(GROWING, MINUTES);
  for (const [nth, [early, late]] of grown.entries()) {
    note(`heap of ${GROWING[nth]} early`, early, 'MiB', '');
    note(`heap of ${GROWING[nth]} after ${MINUTES} min`, late, 'MiB', 'as early');
  }
  note('files, gzipped', gzippedBytes(join(import.meta.dirname, '../dist')) / 1_000, 'kB', '< 300');
  const width = Math.max(...figures.map(({ what }) => what.length));
  for (const { what, value, unit, wanted } of figures) console.log(`${what.padEnd(width)}  ${String(value).padStart(8)} ${unit.padEnd(4)} ${wanted}`);
  console.log(JSON.stringify({ events: N_EVENTS, rate: RATE, minutes: MINUTES, figures }));
});
