// What a person does with the lists, on the demo's night: groups the fleet and the usage, reads a judge's evidence, takes care of a
// subscription, narrows the log. What a page shows is compared with what the server answers, and with what was delivered.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cells, live, settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

/** A screen so high that every row is drawn. */
const HIGH = { height: 4_000 };

const server = new Server();
const { visit } = useBrowser();

beforeAll(async () => {
  server.ingestDemo(3_000);
  await server.start();
  await server.caughtUp();
});
afterAll(() => server.end());

const rowsOf = async <Row>(view: string): Promise<Row[]> => (await server.get<{ rows: Row[] }>(`/v1/views/${view}`)).rows;
const drawer = (page: Page): Locator => page.locator('aside[data-drawer]');

describe('the fleet', () => {
  it.each(['host', 'session', 'dialect', 'status'] as const)('is grouped by %s', async (by) => {
    const page = await visit(server, '/fleet', HIGH);
    await settled(page);
    await page.getByLabel('Group by').selectOption(by);
    await page.waitForURL((url) => url.searchParams.get('group') === by);
    const rows = await rowsOf<Partial<Record<typeof by, string>>>('fleet?limit=10000');
    const sizes = new Map<string, number>();
    for (const row of rows) sizes.set(row[by] ?? '', (sizes.get(row[by] ?? '') ?? 0) + 1);
    const titles = [...sizes].map(([name, n]) => `${name === '' ? `no ${by}` : name.replaceAll('_', ' ')} (${n})`);
    expect(titles.length).toBeGreaterThan(1);
    const headings = page.getByRole('grid', { name: 'Actors' }).locator('[role=row].heading');
    await expect.poll(async () => (await headings.allInnerTexts()).map((text) => text.trim()).toSorted()).toEqual(titles.toSorted());
    // Everybody stands below a heading.
    expect(await page.getByRole('grid', { name: 'Actors' }).getAttribute('aria-rowcount')).toBe(String(rows.length + titles.length + 1));
  });
});

describe('usage', () => {
  interface Used {
    name?: string;
    total_tokens: number;
  }

  it.each(['model', 'actor', 'task'] as const)('is shown by %s, as figures and as bars', async (by) => {
    const page = await visit(server, '/usage?of=tokens&sort=-total_tokens', HIGH);
    await settled(page);
    await page.getByLabel('By', { exact: true }).selectOption(by);
    const grid = page.getByRole('grid', { name: `Usage by ${by}` });
    await grid.getByRole('gridcell').first().waitFor();
    const rows = await rowsOf<Used>(`usage?limit=10000&by=${by}`);
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(rows.length + 1));
    const most = rows.toSorted((a, b) => b.total_tokens - a.total_tokens)[0];
    const name = most?.name ?? `no ${by}`;
    await grid.getByRole('row').filter({ has: page.getByRole('gridcell', { name, exact: true }) }).waitFor();
    await page.getByLabel(`tokens by ${by}`).getByText(name, { exact: true }).first().waitFor();
    await grid.getByRole('gridcell', { name, exact: true }).click();
    await drawer(page).getByRole('heading', { name, exact: true }).waitFor();
    await drawer(page).getByText((most?.total_tokens ?? 0).toLocaleString('en')).first().waitFor();
  });

  it('is shown by day', async () => {
    const page = await visit(server, '/usage', HIGH);
    await settled(page);
    const days = (await rowsOf<Used>('usage?limit=10000&by=day')).map(({ name }) => name ?? 'no day');
    const grid = page.getByRole('grid', { name: 'Usage by day' });
    await grid.getByRole('gridcell').first().waitFor();
    expect(await grid.locator('[role=row] > [role=gridcell]:first-child').allInnerTexts()).toEqual(days.toSorted().toReversed());
    await page.getByRole('figure', { name: new RegExp(`^Cost by day, ${days.length} days`) }).locator('canvas').waitFor();
  });
});

it('shows what the judge of a run says, and on what evidence', async () => {
  interface Run {
    run: string;
    goal?: string;
    verdict?: string;
    reasons?: string[];
    evidence?: string[];
  }
  const runs = await rowsOf<Run>('runs?limit=10000');
  const run = runs.find(({ verdict, evidence = [] }) => verdict !== undefined && evidence.length > 0);
  if (run === undefined) throw new Error('no judge gave evidence');
  const page = await visit(server, `/runs?q=${run.run}`);
  await settled(page);
  await page.getByRole('grid', { name: 'Runs' }).getByRole('gridcell').first().click();
  const judge = drawer(page).getByRole('region', { name: 'Judge' });
  await judge.locator('.badge').filter({ hasText: run.verdict ?? '' }).waitFor();
  expect(await judge.getByRole('listitem').allInnerTexts()).toEqual([...(run.reasons ?? []), ...(run.evidence ?? [])]);
  expect(new URL(page.url()).searchParams.get('open')).toBe(run.run);
});

describe('a subscription', () => {
  let hook: HttpServer;
  let isBroken = true;
  const delivered: string[] = [];

  beforeAll(async () => {
    hook = createServer((asked, answer) => {
      let body = '';
      asked.on('data', (bytes: Buffer) => (body += bytes.toString()));
      asked.on('end', () => {
        if (!isBroken) delivered.push(body);
        answer.writeHead(isBroken ? 400 : 204).end();
      });
    });
    await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done));
    const { port } = hook.address() as AddressInfo;
    server.run(['sub', 'add', 'pager', '--filter', 'actor=caller', '--attempts', '1', '--webhook', `http://127.0.0.1:${port}/`]);
  });
  afterAll(() => new Promise((done) => hook.close(done)));

  const call = (message: string): Promise<void> => server.post({ event_type: 'activity.progress', agent_id: 'caller', session_id: 'calls', message });
  const nOf = (message: string): number => delivered.filter((body) => body.includes(message)).length;
  const row = (page: Page): Locator => page.getByRole('grid', { name: 'Subscriptions' }).getByRole('row').filter({ hasText: 'pager' });
  const state = async (): Promise<string | undefined> => {
    const { subscriptions } = await server.get<{ subscriptions: { name: string; state: string }[] }>('/v1/subscriptions');
    return subscriptions.find(({ name }) => name === 'pager')?.state;
  };

  it('shows what could not be delivered with why, and delivers it again', async () => {
    await call('first call');
    await call('second call');
    const page = await visit(server, '/subscriptions');
    await settled(page);
    await row(page).getByText('✗ 2').waitFor();
    await row(page).click();
    const dead = drawer(page).getByRole('region', { name: 'What could not be delivered' });
    await dead.getByRole('heading', { name: 'Could not be delivered: 2' }).waitFor();
    const list = dead.getByRole('grid', { name: 'Events that could not be delivered' });
    await list.getByText(/400/).first().waitFor();
    const { records } = await server.get<{ records: { position: number }[] }>('/v1/events?filter=actor%3Dcaller&limit=2');
    const [second, first] = records.map(({ position }) => position);
    await list.getByRole('button', { name: `Record ${first}`, exact: true }).click();
    await page.getByRole('complementary', { name: `Record ${first}`, exact: true }).getByRole('region', { name: 'Facts' }).getByText('first call').waitFor();
    await page.goBack();

    isBroken = false;
    await list.getByRole('button', { name: `Deliver record ${second} again` }).click();
    await page.getByRole('dialog', { name: 'Deliver 1 again?' }).getByRole('button', { name: 'Deliver again' }).click();
    await dead.getByRole('heading', { name: 'Could not be delivered: 1' }).waitFor();
    await expect.poll(() => [nOf('first call'), nOf('second call')]).toEqual([0, 1]);
    await dead.getByRole('button', { name: 'Deliver all again' }).click();
    await page.getByRole('dialog', { name: 'Deliver 1 again?' }).getByRole('button', { name: 'Deliver again' }).click();
    await dead.getByText('Nothing was given up.').waitFor();
    await expect.poll(() => [nOf('first call'), nOf('second call')]).toEqual([1, 1]);
  });

  it('is paused, and goes on with what came meanwhile', async () => {
    isBroken = false;
    const page = await visit(server, '/subscriptions?open=pager');
    await settled(page);
    await drawer(page).getByRole('button', { name: 'Pause', exact: true }).click();
    await row(page).getByText('paused').waitFor();
    expect(await state()).toBe('paused');
    await call('meanwhile');
    await drawer(page).getByRole('button', { name: 'Resume', exact: true }).click();
    await drawer(page).getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await expect.poll(() => nOf('meanwhile')).toBe(1);
    expect(await state()).toBe('active');
  });

  it('is replayed from a record, after a question', async () => {
    isBroken = false;
    await call('once more');
    await expect.poll(() => nOf('once more')).toBe(1);
    const { records } = await server.get<{ records: { position: number }[] }>('/v1/events?filter=actor%3Dcaller&limit=1');
    const position = records[0]?.position ?? 0;
    const page = await visit(server, '/subscriptions?open=pager');
    await settled(page);
    await live(page);
    const place = drawer(page).getByLabel('Go back, or on, to record');
    await place.fill('nowhere');
    expect(await drawer(page).getByRole('button', { name: 'Replay …' }).isDisabled()).toBe(true);
    await place.fill(String(position));
    await drawer(page).getByRole('button', { name: 'Replay …' }).click();
    const question = page.getByRole('dialog', { name: `Let pager go on from ${position}?` });
    await question.getByText(`weft sub replay pager ${position}`).waitFor();
    expect(nOf('once more'), 'nothing is done before the answer').toBe(1);
    await question.getByRole('button', { name: 'Replay', exact: true }).click();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => nOf('once more')).toBe(2);
    expect(nOf('meanwhile'), 'what stands before is not delivered again').toBe(1);
  });
});

describe('the log', () => {
  it('shows an event as it came, with its facts beside it', async () => {
    interface Told {
      event: unknown;
      facts: Record<string, unknown>;
    }
    const { records } = await server.get<{ records: { position: number }[] }>('/v1/events?filter=type%3Dtool.call.failed&limit=1');
    const position = records[0]?.position ?? 0;
    const page = await visit(server, '/log?mode=pause&filter=type%3Dtool.call.failed');
    await settled(page);
    await page.getByRole('gridcell', { name: String(position), exact: true }).locator('..').click();
    const record = page.getByRole('complementary', { name: `Record ${position}` });
    const { event, facts } = await server.get<Told>(`/v1/events/${position}?facts=true`);
    const verbatim = record.getByRole('region', { name: `Event of record ${position}` });
    await verbatim.waitFor();
    expect(JSON.parse(await verbatim.innerText())).toEqual(event);
    const beside = record.getByRole('region', { name: 'Facts' });
    for (const name of ['type', 'actor', 'session', 'tool', 'message', 'trace']) {
      const value = beside.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');
      expect(await value.innerText(), name).toBe(String(facts[name]));
    }
    await record.getByRole('button', { name: 'Record before' }).click();
    await page.getByRole('complementary', { name: `Record ${position - 1}` }).waitFor();
  });

  it('keeps a filter, finds the same with it later, and forgets it', async () => {
    const page = await visit(server, '/log?mode=pause&filter=dialect%3Dpinchy');
    await settled(page);
    const found = (await cells(page, 1)).slice(0, 10);
    expect(found.length).toBe(10);
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.goto(`${server.pages}/log?mode=pause`);
    await settled(page);
    await page.getByRole('button', { name: 'Kept filters (1)' }).click();
    await page.getByRole('group', { name: 'Kept filters' }).getByRole('button', { name: 'dialect=pinchy' }).click();
    await page.waitForURL((url) => url.searchParams.get('filter') === 'dialect=pinchy');
    await expect.poll(async () => (await cells(page, 1)).slice(0, 10)).toEqual(found);
    await page.getByRole('button', { name: 'Kept', exact: true }).click();
    await page.getByRole('button', { name: 'Kept filters (0)' }).waitFor();
  });

  it('shows the columns that are chosen, and no others', async () => {
    const page = await visit(server, '/log?mode=pause&filter=dialect%3Dpinchy');
    await settled(page);
    const titles = async (): Promise<string[]> => (await page.getByRole('columnheader').allInnerTexts()).map((title) => title.trim());
    expect(await titles()).toEqual(['Position', 'Received', 'Dialect', 'Type', 'Actor', 'What it says']);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Via' }).check();
    await page.getByRole('checkbox', { name: 'Dialect' }).uncheck();
    await page.getByRole('checkbox', { name: 'Received' }).uncheck();
    await expect.poll(titles).toEqual(['Position', 'Via', 'Type', 'Actor', 'What it says']);
    expect(new Set(await cells(page, 2))).toEqual(new Set(['ingest']));
    await page.reload();
    await settled(page);
    expect(await titles()).toEqual(['Position', 'Via', 'Type', 'Actor', 'What it says']);
  });
});
