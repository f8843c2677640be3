// Every page: it opens by its address in both themes with what the store holds, breaks no rule of accessibility, keeps its state
// over a reload, and fits a narrow screen.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { violations } from './axe.ts';
import { settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

interface PageCase {
  /** The address; names in braces are taken from the store. */
  path: string;
  title: string;
  /** What has to be there: rows, cards, or the words of an empty page. */
  shows: string;
  /** What shows that the state in the address is the page's. */
  state?: string;
}

const CELL = 'main [role=grid] [role=gridcell]';
const drawer = (name: string): string => `aside[aria-label="${name}"]`;

const CASES: PageCase[] = [
  { path: '/inbox?open={need}', title: 'Inbox', shows: CELL, state: '[data-drawer]' },
  { path: '/fleet?group=status&open={actor}', title: 'Fleet', shows: CELL, state: drawer('{actor}') },
  { path: '/timeline?from=2h&actor={actor}', title: 'Timeline', shows: 'section[aria-label=Lanes] ol li', state: 'ol li button[aria-pressed=true]' },
  { path: '/sessions?sort=-last_seen&q=e', title: 'Sessions', shows: CELL, state: '[role=columnheader][aria-sort=descending]' },
  { path: '/sessions/{session}', title: '', shows: '[role=feed] article .what' },
  { path: '/traces?only=errors', title: 'Traces', shows: `${CELL}, main .empty` },
  { path: '/traces/{trace}', title: '', shows: CELL },
  { path: '/work?open={work}', title: 'Work', shows: 'main [data-lane] li button', state: '[data-drawer]' },
  { path: '/work?as=graph', title: 'Work', shows: 'main svg, main canvas' },
  { path: '/work?as=table&sort=-state', title: 'Work', shows: CELL },
  { path: '/work?as=plans', title: 'Work', shows: 'main [aria-label="Plans of runs"] .body > *' },
  { path: '/usage?by=model&of=tokens', title: 'Usage', shows: 'main [aria-label="Usage by model"] [role=gridcell]' },
  { path: '/files?size=changes', title: 'Files', shows: 'main .map button' },
  { path: '/files?as=table&q=src', title: 'Files', shows: CELL },
  { path: '/files?as=collisions', title: 'Files', shows: `${CELL}, main .empty` },
  { path: '/decisions', title: 'Decisions', shows: CELL },
  { path: '/errors?q=the', title: 'Errors', shows: CELL },
  { path: '/loops', title: 'Loops', shows: CELL },
  { path: '/runs', title: 'Runs', shows: CELL },
  { path: '/gateway', title: 'Gateway', shows: CELL },
  { path: '/subscriptions', title: 'Subscriptions', shows: CELL },
  { path: '/log?filter=status%3Derror&record={error}', title: 'Log', shows: CELL, state: drawer('Record {error}') },
  { path: '/nowhere', title: 'Nothing here', shows: 'main .empty' },
];

const server = new Server();
const names: Record<string, string> = {};
const { visit } = useBrowser();

interface Rows {
  rows: Record<string, string>[];
}

beforeAll(async () => {
  server.ingestDemo(3_000);
  await server.start();
  server.run(['sub', 'add', 'night', '--filter', 'status=error', '--pull']);
  const first = async (view: string, field: string): Promise<string> => {
    const { rows } = await server.get<Rows>(`/v1/views/${view}?limit=1`);
    return rows[0]?.[field] ?? '';
  };
  // A need that stays as it is: those of the demo change with the time that passes.
  await server.post({ event_type: 'hook.permission_request', agent_id: 'asker', session_id: 'ask', tool: { tool_name: 'Bash' }, message: 'may I?' });
  names['need'] = await vi.waitFor(async () => {
    const { rows } = await server.get<Rows>('/v1/views/inbox?limit=100');
    const id = rows.find((row) => row['actor'] === 'asker')?.['id'];
    if (id === undefined) throw new Error('the need is not in the inbox');
    return id;
  }, 10_000);
  names['actor'] = await first('fleet', 'actor');
  names['work'] = await first('work', 'id');
  names['trace'] = await first('traces', 'trace');
  const { rows } = await server.get<{ rows: { session: string; n_turns: number }[] }>('/v1/views/sessions?limit=200');
  names['session'] = rows.find((row) => row.n_turns > 1)?.session ?? '';
  const errors = await server.get<{ records: { position: number }[] }>('/v1/events?filter=status%3Derror&limit=1');
  names['error'] = String(errors.records[0]?.position);
});
afterAll(() => server.end());

/** Writes the names of the store into an address or a selector. */
function filled(text: string, write = (name: string): string => name): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    expect(names[name], `the store has a name for ${name}`).toBeTruthy();
    return write(names[name] ?? '');
  });
}

describe.each(CASES)('$path', ({ path, title, shows, state }) => {
  it('opens by its address in both themes, accessible, and fits a narrow screen', async () => {
    const address = filled(path, encodeURIComponent);
    const page = await visit(server, address, { theme: 'light' });
    const look = async (): Promise<void> => {
      await settled(page);
      await page.locator(shows).first().waitFor();
      if (state !== undefined) await page.locator(filled(state)).first().waitFor();
      const heading = await page.locator('main h1').innerText();
      if (title !== '') expect(heading).toBe(title);
      else expect(heading).not.toBe('');
      expect(await page.title()).toContain(' – Weft');
    };
    await look();
    expect.soft(await violations(page), 'in the light').toEqual([]);

    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await look();
    expect(new URL(page.url()).searchParams.toString()).toBe(new URL(address, server.pages).searchParams.toString());
    expect.soft(await violations(page), 'in the dark').toEqual([]);

    await page.setViewportSize({ width: 390, height: 780 });
    await page.locator(shows).first().waitFor();
    // Which columns a table shows follows from its width, which it is told with the next frame.
    await vi.waitFor(async () => {
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, 'the document does not scroll sideways').toBeLessThanOrEqual(390);
      const wide = await page.locator('main [role=grid]').evaluateAll((grids) => grids.filter((grid) => grid.scrollWidth > grid.clientWidth).map((grid) => grid.getAttribute('aria-label')));
      expect(wide, 'no table scrolls sideways').toEqual([]);
      const ends = await page.locator('main .empty').evaluateAll((all) => all.map((one) => Math.max(...[one, ...one.querySelectorAll('*')].map((node) => node.getBoundingClientRect().right))));
      for (const end of ends) expect(end, 'what is said of an empty page is in sight').toBeLessThanOrEqual(390);
    }, 10_000);
  });
});

it('is served under a policy that lets it ask its own server alone', async () => {
  const answer = await fetch(`${server.pages}/fleet`);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

it('switches between light and dark and remembers it', async () => {
  const page = await visit(server, '/fleet', { theme: 'light' });
  await settled(page);
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: 'Switch to dark' }).click();
  await page.getByRole('button', { name: 'Switch to light' }).waitFor();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  await settled(page);
  expect(await ground()).toBe(dark);
});
