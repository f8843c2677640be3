// Many rows: the first ones are drawn before all are there, nothing that is counted is ever wrong, and the list is complete afterwards,
// whatever happens in between. What brings the rest is held back by the test, so that there is an in-between to look at.
import type { Page, Route } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { live, settled, useBrowser } from './browser.ts';
import { Server, line } from './server.ts';

const N_ACTORS = 1_200;
const N_NEEDS = 250;
/** What a browser says by itself about a server that is gone. */
const GONE = /net::ERR_/;

let server: Server;

beforeEach(async () => {
  server = new Server();
  const actors = Array.from({ length: N_ACTORS }, (_, nth) =>
    nth < N_NEEDS
      ? line({ event_type: 'hook.permission_request', agent_id: `asks-${nth}`, session_id: `s-${nth}`, tool: { tool_name: 'Bash' }, message: 'may I?' })
      : line({ event_type: 'activity.progress', agent_id: `works-${nth}`, session_id: `s-${nth}`, message: 'at work' }),
  );
  server.ingest(actors.join('\n'));
  await server.start();
});
afterEach(() => server.end());
const { visit } = useBrowser();

/** Opens a page whose requests for an address wait until they are let go. */
async function holding(path: string, held: RegExp, expected?: RegExp): Promise<{ page: Page; letGo: () => void; drop: () => void }> {
  const page = await visit(server, '/subscriptions', expected ? { expected } : {});
  await settled(page);
  type End = (route: Route) => Promise<void>;
  let open: (end: End) => void = () => undefined;
  const opened = new Promise<End>((resolve) => (open = resolve));
  // Whatever comes after it was opened goes through.
  await page.route(held, async (route) => {
    const isHeld = !isOpen;
    const end = await opened;
    await (isHeld ? end(route) : route.continue());
  });
  let isOpen = false;
  const letAll = (end: End) => (): void => {
    isOpen = true;
    open(end);
  };
  await page.addInitScript(watch);
  await page.goto(server.pages + path);
  return { page, letGo: letAll((route) => route.continue()), drop: letAll((route) => route.abort()) };
}

/** Writes down everything that is ever said to be so many, and what rings. */
function watch(): void {
  const said = new Set<string>();
  Object.assign(globalThis, { said, nRung: 0 });
  const Real = AudioContext;
  globalThis.AudioContext = class extends Real {
    constructor() {
      super();
      (globalThis as unknown as { nRung: number }).nRung++;
    }
  };
  localStorage.setItem('weft-sound', 'true');
  const look = (): void => {
    said.add(document.title);
    for (const node of document.querySelectorAll('.chips, nav .count')) if (node.textContent?.trim()) said.add(node.textContent.replace(/\s+/g, ' ').trim());
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

const said = (page: Page): Promise<string[]> => page.evaluate(() => [...(globalThis as unknown as { said: Set<string> }).said]);
const rows = (page: Page): Promise<string[]> => page.locator('main [role=grid] [role=row] > [role=gridcell]:first-child').allInnerTexts();
/** Rows that are out of sight are drawn a moment after those in it. */
const rowsAgain = async (page: Page, first: string[]): Promise<string[]> => (await rows(page)).slice(0, first.length);
const nRows = (page: Page): Promise<string | null> => page.getByRole('grid').getAttribute('aria-rowcount');

it('draws the first actors before all are there, then all, and nothing jumps', async () => {
  const { page, letGo } = await holding('/fleet', /\/views\/fleet\/stream/);
  await page.getByText(/^first 120 of 1,200 actors$/).waitFor();
  const first = await rows(page);
  expect(first.length).toBeGreaterThan(20);
  expect(await page.locator('main [aria-busy=true]').count(), 'it is said that more comes').toBe(1);
  expect(await page.locator('html').getAttribute('data-link'), 'what was only asked for is not live').not.toBe('live');
  const chips = await page.locator('main .chips button').allInnerTexts();
  expect(chips.join(' '), 'nothing is counted that is not there').not.toMatch(/\d/);

  letGo();
  await page.getByText(/^1,200 of 1,200 actors$/).waitFor();
  await settled(page);
  await live(page);
  expect(await rowsAgain(page, first)).toEqual(first);
  expect(await nRows(page)).toBe(String(N_ACTORS + 1));
  await page.keyboard.press('End');
  await page.locator(`[role=row][aria-rowindex="${N_ACTORS + 1}"]`).waitFor();
});

it('says no count that is not that of all', async () => {
  const { page, letGo } = await holding('/inbox', /\/views\/inbox\/stream/);
  await page.waitForFunction((n) => document.title === `(${n}) Inbox – Weft`, N_NEEDS);
  expect((await rows(page)).length).toBeGreaterThan(20);
  letGo();
  await live(page);
  await settled(page);
  expect(await nRows(page)).toBe(String(N_NEEDS + 1));
  await page.getByRole('link', { name: /^Fleet/ }).click();
  await page.getByText(/^1,200 of 1,200 actors$/).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('.chips b')].every((node) => /^\d/.test(node.textContent ?? '')));
  const counts = (await said(page)).filter((text) => /\d/.test(text));
  for (const text of counts) {
    expect(text).toMatch(/^(\(250\) .*Weft|250|(\S+ … )*first 120 of 1,200 actors|.*950.*1,200 of 1,200 actors)$/);
  }
  // What comes behind the first ones is not new.
  expect(await page.evaluate(() => (globalThis as unknown as { nRung: number }).nRung)).toBe(0);
});

it('waits for all where the first in order cannot be known', async () => {
  const { page, letGo } = await holding('/fleet?sort=-actor', /\/views\/fleet\/stream/);
  await page.getByText('Loading …').waitFor();
  expect(await page.getByRole('grid').count()).toBe(0);
  letGo();
  await page.getByRole('grid').getByText('works-999').first().waitFor();
  await page.getByText(/^1,200 of 1,200 actors$/).waitFor();
});

it('completes the list of a server that was killed behind the first rows', async () => {
  const { page, drop } = await holding('/fleet', /\/views\/fleet\/stream/, GONE);
  await page.getByText(/^first 120 of 1,200 actors$/).waitFor();
  await server.kill();
  drop();
  await page.locator('html[data-link="lost"]').waitFor();
  await page.locator('main .stale').first().waitFor();
  expect((await rows(page)).length, 'what is known stays in sight').toBeGreaterThan(20);
  server.ingest(line({ event_type: 'coordination.blocked', agent_id: 'night-shift', session_id: 'meanwhile', message: 'the disk is full' }));
  await server.start();
  await page.getByText(/^1,201 of 1,201 actors$/).waitFor();
  await live(page);
  expect(await nRows(page)).toBe(String(N_ACTORS + 2));
  expect(await page.locator('main .stale').count()).toBe(0);
  const counts = (await said(page)).filter((text) => text.includes('actors'));
  for (const text of counts) expect(text).toMatch(/first 120 of 1,200 actors$|1,201 of 1,201 actors$/);
});

it('shows the past in the same way', async () => {
  const at = N_ACTORS - 100;
  const { page, letGo } = await holding(`/fleet?at=${at}`, /\/views\/fleet\?.*limit=10000/);
  await page.getByText(/^first 120 of 1,100 actors$/).waitFor();
  const first = await rows(page);
  letGo();
  await page.getByText(/^1,100 of 1,100 actors$/).waitFor();
  await settled(page);
  expect(await rowsAgain(page, first)).toEqual(first);
  expect(await nRows(page)).toBe(String(at + 1));
});

// Pages that no binary holds come without rows.
it.skipIf(process.env['WEFT_PAGES'])('shows the rows that came with the page, and asks for them where none did', async () => {
  const page = await visit(server, '/subscriptions');
  await settled(page);
  let asked: string[] = [];
  page.on('request', (request) => asked.push(request.url().slice(server.pages.length)));
  for (const [path, first] of [['/fleet', '/v1/views/fleet?limit=120'], ['/', '/v1/views/inbox?limit=120'], ['/log', '/v1/events?limit=200']] as const) {
    asked = [];
    await page.goto(server.pages + path);
    await page.locator('main [role=gridcell]').first().waitFor();
    await live(page);
    expect(asked).not.toContain(first);
    expect(asked).toContain('/v1/store');
    expect(await page.locator('#first').count(), 'they are let go').toBe(0);
  }
  asked = [];
  await page.goto(`${server.pages}/fleet?at=1100`);
  await page.locator('main [role=gridcell]').first().waitFor();
  expect(asked).toContain('/v1/views/fleet?limit=120&at=1100');
});

it.skipIf(process.env['WEFT_PAGES'])('goes on from the rows that came with the page without a gap', async () => {
  server.ingest(line({ event_type: 'activity.progress', agent_id: 'hostile', session_id: 'h', message: '</script><script>document.title="no"</script>' }));
  const page = await visit(server, '/subscriptions');
  await settled(page);
  // What comes after the page and before the stream is in the stream.
  await page.route(/\/v1\/stream/, async (route) => {
    await server.post({ event_type: 'activity.progress', agent_id: 'between', session_id: 'b', message: 'came between' });
    await route.continue();
  });
  await page.goto(`${server.pages}/log`);
  await page.getByRole('grid').getByText('</script><script>').waitFor();
  await page.getByRole('grid').getByText('came between').first().waitFor();
  expect(await page.title()).toMatch(/Log – Weft$/);
});
