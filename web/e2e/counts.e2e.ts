// Figures: nothing is said to be none before it is there, nor where it cannot be had; and two figures of one
// page that differ say what they count.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

/** The pages, and the words in which each says how many there are once it knows. */
const PAGES: [path: string, counts: RegExp][] = [
  ['/files', /\d+ of \d+ files/],
  ['/work', /\d+ of \d+ pieces of work/],
  ['/errors', /\d+ of \d+/],
  ['/loops', /\d+ of \d+/],
  ['/decisions', /\d+ of \d+/],
  ['/runs', /\d+ of \d+/],
  ['/fleet', /\d+ of \d+ actors/],
  ['/sessions', /\d+ of \d+ sessions/],
  ['/traces', /With errors\s\d+/],
  ['/gateway', /Sessions\s\d+[\s\S]*Outbox\s\d+/],
  ['/subscriptions', /\d+ of \d+/],
];
const ASKED = /\/v1\/(views|sessions|subscriptions)\b/;
/** What a browser says by itself about an answer with this status. */
const BROKEN = /status of 500/;

interface Told {
  session: string;
  n_errors: number;
  n_turns: number;
}

const server = new Server();
const { visit } = useBrowser();
let session = '';
/** A session whose talk tells of more errors than it has. */
let retold = { session: '', n_errors: 0, n_turns: 0, nPlaces: 0 };

beforeAll(async () => {
  server.ingestDemo(3_000);
  await server.start();
  await server.caughtUp();
  server.run(['sub', 'add', 'night', '--filter', 'status=error', '--pull']);
  const { rows } = await server.get<{ rows: Told[] }>('/v1/views/sessions?limit=200');
  session = rows.find((row) => row.n_turns > 1)?.session ?? '';
  expect(session).not.toBe('');
  for (const row of rows.filter(({ n_errors, n_turns }) => n_errors > 1 && n_turns > 1)) {
    const nPlaces = (await talkOf(row.session)).marks.errors.length;
    if (nPlaces > row.n_errors) retold = { ...row, nPlaces };
  }
  expect(retold.session, 'a session whose talk tells of an error twice').not.toBe('');
});
afterAll(() => server.end());

const talkOf = (session: string): Promise<{ marks: { errors: number[] } }> => server.get(`/v1/sessions/${encodeURIComponent(session)}/talk?limit=1`);

/** Everything on the page that says how many there are: what stands above the panels. */
const figures = (page: Page): Promise<string> =>
  page.locator('main').evaluate((main) => [...main.querySelectorAll('.chips, .tables, select, [aria-label="Go to"], header button')].map((node) => (node as HTMLElement).innerText).join('\n'));

/** Goes to a page whose answers are kept back, or refused. */
async function without(answers: 'none' | 'refused', go: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await visit(server, '/nowhere', { expected: BROKEN });
  await settled(page);
  // What is not answered stays open.
  await page.route(ASKED, async (route) => {
    if (answers === 'refused') await route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":{"code":"internal","message":"the disk is gone"}}' });
  });
  await go(page);
  await page.getByText(answers === 'refused' ? 'This cannot be shown' : 'Loading …').first().waitFor();
  return page;
}

describe.each(PAGES)('%s', (path, counts) => {
  it('counts once all is there, and not while it loads or fails', async () => {
    // A page that is loaded anew has its first rows with it.
    const go = (page: Page): Promise<void> => page.locator(`nav a[href="${path}"]`).click();
    const loading = await without('none', go);
    expect(await figures(loading), 'while it loads').not.toMatch(/\d/);
    const failed = await without('refused', go);
    expect(await figures(failed), 'where it fails').not.toMatch(/\d/);
    await failed.unroute(ASKED);
    await failed.reload();
    await settled(failed);
    await expect.poll(() => figures(failed)).toMatch(counts);
  });
});

it('says of a session how much there is once it is read', async () => {
  const path = `/sessions/${encodeURIComponent(session)}`;
  for (const answers of ['none', 'refused'] as const) {
    const page = await without(answers, (page) => page.goto(server.pages + path));
    expect(await figures(page)).not.toMatch(/\d/);
  }
});

it('has one number of errors for a session, and says what else it counts', async () => {
  const page = await visit(server, `/sessions/${encodeURIComponent(retold.session)}`);
  await settled(page);
  const beside = page.getByRole('complementary', { name: 'About the session' });
  const figure = (name: string): Promise<string> => beside.locator('.figures > div').filter({ has: page.getByText(name, { exact: true }) }).locator('dd').innerText();
  await beside.locator('.figures').waitFor();
  expect([await figure('Errors'), await figure('Turns')]).toEqual([String(retold.n_errors), String(retold.n_turns)]);
  await page.getByRole('group', { name: 'Go to' }).getByText(`errors: ${retold.nPlaces} places`).waitFor();
  expect((await page.locator('main .bar, main aside').allInnerTexts()).join(' '), 'no other number of errors').not.toMatch(/\d+ errors?\b/);
  await page.goto(`${server.pages}/sessions?q=${encodeURIComponent(retold.session)}`);
  await page.getByRole('grid', { name: 'Sessions' }).getByText(`✗ ${retold.n_errors}`).first().waitFor();
});
