// A server that is killed under an open page and started again: the page says so, dims what it shows, comes back by itself, and has
// everything that was stored meanwhile.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { live, settled, useBrowser } from './browser.ts';
import { Server, line } from './server.ts';

/** What a browser says by itself about a server that is gone. */
const GONE = /net::ERR_/;

let server: Server;

beforeEach(async () => {
  server = new Server();
  server.ingestDemo(300);
  await server.start();
});
afterEach(() => server.end());
// Hooks end in the reverse order: pages are closed before their server.
const { visit } = useBrowser();

/** Waits until the page says that the server is gone, and what it shows is no longer shown as live. */
async function lost(page: Page): Promise<void> {
  await page.locator('html[data-link="lost"]').waitFor();
  await page.locator('header [role=status]').filter({ hasText: 'lost' }).waitFor();
  await page.locator('main .stale').first().waitFor();
  const opacity = await page.locator('main .stale').first().evaluate((node) => Number(getComputedStyle(node).opacity));
  expect(opacity, 'what is stale is dim').toBeLessThan(1);
}

/** Returns the positions of the log page from the newest on, by scrolling through it. */
async function positions(page: Page, n: number): Promise<number[]> {
  const grid = page.getByRole('grid', { name: 'Records' });
  const seen = new Set<number>();
  for (let top = 0; seen.size < n && top < n * 40; top += 400) {
    await grid.evaluate(async (node, top) => {
      node.scrollTop = top;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }, top);
    for (const text of await grid.locator('[role=gridcell]:first-child a').allInnerTexts()) seen.add(Number(text));
  }
  return [...seen].sort((a, b) => b - a).slice(0, n);
}

it('fills the log without a gap after the server was killed', async () => {
  const page = await visit(server, '/log', { expected: GONE });
  await settled(page);
  await live(page);
  await server.kill();
  await lost(page);
  const meanwhile = Array.from({ length: 120 }, (_, nth) =>
    line({ event_type: 'activity.progress', agent_id: 'night-shift', session_id: 'meanwhile', message: `step ${nth}` }),
  );
  server.ingest(meanwhile.join('\n'));
  await server.start();
  await live(page);
  await server.post({ event_type: 'activity.progress', agent_id: 'day-shift', session_id: 'after', message: 'good morning' });
  await page.getByRole('gridcell', { name: 'good morning' }).waitFor();
  expect(await page.locator('main .stale').count()).toBe(0);
  const shown = await positions(page, 421);
  expect(shown).toEqual(Array.from({ length: 421 }, (_, nth) => 421 - nth));
});

it('brings the fleet up to date after the server was killed', async () => {
  const page = await visit(server, '/fleet', { expected: GONE });
  await settled(page);
  await live(page);
  await server.kill();
  await lost(page);
  server.ingest(line({ event_type: 'coordination.blocked', agent_id: 'night-shift', session_id: 'meanwhile', message: 'the disk is full' }));
  await server.start();
  await page.getByRole('row').filter({ hasText: 'night-shift' }).filter({ hasText: 'blocked' }).waitFor();
  await live(page);
  expect(await page.locator('main .stale').count()).toBe(0);
});

it('is killed again and again, and the page comes back each time', async () => {
  const page = await visit(server, '/log', { expected: GONE });
  await settled(page);
  for (const round of [1, 2, 3]) {
    await live(page);
    await server.kill();
    await lost(page);
    await server.start();
    await server.post({ event_type: 'activity.progress', agent_id: 'again', session_id: 'rounds', message: `round ${round}` });
    await page.getByRole('gridcell', { name: `round ${round}` }).waitFor();
  }
});

it('dims what is counted beside the panels as well', async () => {
  for (const path of ['/sessions', '/traces', '/fleet']) {
    const page = await visit(server, path, { expected: GONE });
    await settled(page);
    await live(page);
    await server.kill();
    await lost(page);
    const figures = page.locator('main .figure');
    const opacities = await figures.evaluateAll((nodes) => nodes.map((node) => Number(getComputedStyle(node).opacity)));
    expect(opacities.length, path).toBeGreaterThan(0);
    for (const opacity of opacities) expect(opacity, path).toBeLessThan(1);
    await server.start();
    await live(page);
  }
});
