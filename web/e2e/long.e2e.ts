// Much of everything: a session of 100,000 records and the fleet of 5,000 actors scroll, and only what is in sight is drawn.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { live, settled, useBrowser } from './browser.ts';
import { Server, line } from './server.ts';

const N_RECORDS = 100_000;
const N_ACTORS = 5_000;
const NODES_MAX = 4_000;

const name = (nth: number): string => `actor-${String(nth).padStart(4, '0')}`;

const server = new Server();
const { visit } = useBrowser();

beforeAll(async () => {
  const began = Date.now() - N_RECORDS * 100;
  const at = (nth: number): string => new Date(began + nth * 100).toISOString();
  const talk = (nth: number): string => {
    const text = `item ${nth} of a long talk`;
    return line({ event_type: 'activity.message', agent_id: 'talker', session_id: 'long', timestamp: at(nth), message: text, metadata: { text, uuid: `m-${nth}` } });
  };
  server.ingest(Array.from({ length: N_RECORDS }, (_, nth) => talk(nth)).join('\n'));
  const actors = Array.from({ length: N_ACTORS }, (_, nth) =>
    line({ event_type: 'activity.progress', agent_id: name(nth), session_id: `of-${nth}`, message: 'at work' }),
  );
  server.ingest(actors.join('\n'));
  await server.start();
});
afterAll(() => server.end());

const nNodes = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);

it('scrolls a session of 100,000 records', async () => {
  const page = await visit(server, '/sessions/long');
  await settled(page);
  const feed = page.getByRole('feed');
  await feed.locator('article time').first().waitFor();
  expect(await feed.locator('article').first().getAttribute('aria-setsize')).toBe(String(N_RECORDS));

  await page.keyboard.press('End');
  await feed.getByText(`item ${N_RECORDS - 1} of`).waitFor();
  expect(await nNodes(page)).toBeLessThan(NODES_MAX);
  await page.keyboard.press('Home');
  await feed.getByText('item 0 of').waitFor();

  await page.goto(`${server.pages}/sessions/long?item=50000`);
  await feed.getByText('item 50000 of').waitFor();
  expect(await nNodes(page)).toBeLessThan(NODES_MAX);
  for (let step = 0; step < 20; step++) {
    await feed.evaluate(async (node) => {
      node.scrollBy(0, 3_000);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    });
  }
  await page.waitForFunction(() => document.querySelector('[role=feed]')?.getAttribute('aria-busy') === 'false');
  expect(await nNodes(page)).toBeLessThan(NODES_MAX);
  const inSight = await feed.locator('article').evaluateAll((all) => all.map((one) => Number(one.getAttribute('aria-posinset'))));
  expect(Math.min(...inSight)).toBeGreaterThan(50_500);
});

it('shows a fleet of 5,000 actors whole: scrolled, grouped, sorted, searched and live', async () => {
  const page = await visit(server, '/fleet?sort=actor');
  await settled(page);
  await live(page, 60_000);
  // The talker of the session is one more.
  const nAll = N_ACTORS + 1;
  await page.getByText(/^5\D?001 of 5\D?001 actors/).waitFor();
  const grid = page.getByRole('grid', { name: 'Actors' });
  expect(await grid.getAttribute('aria-rowcount')).toBe(String(nAll + 1));
  expect(await nNodes(page)).toBeLessThan(NODES_MAX);

  await page.keyboard.press('End');
  await grid.locator(`[role=row][aria-rowindex="${nAll + 1}"]`).filter({ hasText: 'talker' }).waitFor();
  await grid.evaluate((node) => void (node.scrollTop = node.scrollHeight / 2));
  await grid.locator('[role=row]').filter({ hasText: 'actor-2500' }).waitFor();
  expect(await nNodes(page)).toBeLessThan(NODES_MAX);

  const toTop = (): Promise<void> => grid.evaluate((node) => void (node.scrollTop = 0));

  // Everyone is in a group, and one more row heads it.
  await page.getByLabel('Group by').selectOption('dialect');
  await toTop();
  await grid.getByText(/^collector \(5\D?001\)$/).waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe(String(nAll + 2));
  await page.getByLabel('Group by').selectOption('session');
  await toTop();
  await grid.getByText('long (1)').waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe(String(2 * nAll + 1));
  expect(await nNodes(page)).toBeLessThan(NODES_MAX);
  await page.getByLabel('Group by').selectOption('none');

  // It stays live, and only the row that changed is sent.
  const search = page.getByRole('searchbox', { name: 'Search the fleet' });
  for (const nth of [0, 321, 4_999]) {
    await search.fill(name(nth));
    await grid.locator('[role=row]').filter({ hasText: name(nth) }).waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe('2');
  }
  await server.post({ event_type: 'coordination.blocked', agent_id: name(4_999), session_id: 'of-4999', message: 'is stopped' });
  await grid.locator('[role=row]').filter({ hasText: name(4_999) }).filter({ hasText: 'blocked' }).waitFor();
}, 90_000);
