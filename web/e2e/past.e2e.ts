// The time machine on every page: at a past position nothing is asked for that came after it, and what is shown is of then.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const AT = 900;
/** What is asked for of that position: a view, a page of records before it, or a record itself. */
const OF_THEN = /(=|\/events\/)(900|901)\b/;
/** What the title of the tab counts is of now on every page. */
const COUNTED = /^\/v1\/views\/inbox(\/stream)?\?limit=\d+$/;
const server = new Server();
const names: Record<string, string> = {};
const { visit } = useBrowser();

/** Each page, with the view whose rows it shows at that position, if it shows one. */
const PAGES: [path: string, view?: string][] = [
  ['/inbox', 'inbox'],
  ['/fleet', 'fleet'],
  ['/timeline'],
  ['/sessions', 'sessions'],
  ['/sessions/{session}'],
  ['/traces', 'traces'],
  ['/traces/{trace}'],
  ['/work', 'work'],
  ['/work?as=graph', 'work'],
  ['/work?as=table', 'work'],
  ['/work?as=plans', 'plans'],
  ['/usage?by=model', 'usage'],
  ['/files', 'files'],
  ['/files?as=collisions', 'collisions'],
  ['/decisions', 'decisions'],
  ['/errors', 'errors'],
  ['/loops', 'loops'],
  ['/runs', 'runs'],
  ['/gateway', 'gateway'],
  ['/log'],
];

interface Rows {
  rows: Record<string, string>[];
}

beforeAll(async () => {
  server.ingestDemo(3_000);
  await server.start();
  for (const [view, field] of [['sessions', 'session'], ['traces', 'trace']] as const) {
    const { rows } = await server.get<Rows>(`/v1/views/${view}?at=${AT}&limit=1`);
    names[field] = encodeURIComponent(rows[0]?.[field] ?? '');
  }
});
afterAll(() => server.end());

for (const [path, view] of PAGES) {
  it(`is at a past position: ${path}`, async () => {
    const page = await visit(server, '/subscriptions');
    await settled(page);
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/^\/v1\/(views|sessions|traces|events)/.test(url.pathname)) asked.push(decodeURIComponent(url.pathname + url.search));
    });
    const address = path.replace(/\{(\w+)\}/, (_, name: string) => names[name] ?? '');
    await page.goto(`${server.pages}${address}${address.includes('?') ? '&' : '?'}at=${AT}`);
    await settled(page);
    await page.getByText(`as of record ${AT}`).waitFor();
    expect(asked.filter((url) => !OF_THEN.test(url) && !COUNTED.test(url))).toEqual([]);
    if (view !== undefined) {
      const [then, now] = await Promise.all([server.get<Rows>(`/v1/views/${view}?at=${AT}`), server.get<Rows>(`/v1/views/${view}`)]);
      expect(then.rows).not.toEqual(now.rows);
    }
  });
}
