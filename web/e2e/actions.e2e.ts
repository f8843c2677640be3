// What a person does with the pictures and the talk, on the demo's night: zooms the timeline down to milliseconds, unfolds a
// session, follows a graph of work, opens a file of the map. What a page shows is compared with what the server answers.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { duration } from '../src/lib/time/format.ts';
import { settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const HOUR_MS = 3_600_000;
/** Where the first lane is in the picture. */
const LANE_MIDDLE = 28 + 26 / 2;

interface Span {
  from: string;
  to: string;
  position: number;
  status: string;
}

interface Item {
  nth: number;
  depth: number;
  kind: string;
  by?: string;
  tool?: string;
  path?: string;
  text?: string;
  input?: unknown;
  result?: unknown;
  diff?: { old: string; new: string };
  duration_ms?: number;
}

type Marks = Record<'errors' | 'decisions' | 'edits' | 'turns', number[]>;

interface WorkRow {
  id: string;
  title?: string;
  blocked_by: string[];
  children: { id: string }[];
}

interface FileRow {
  path: string;
  n_reads: number;
  n_writes: number;
  readers: { actor: string }[];
  writers: { actor: string }[];
}

const server = new Server();
const { visit } = useBrowser();
const talk = { session: '', items: [] as Item[], marks: { errors: [], decisions: [], edits: [], turns: [] } as Marks };

beforeAll(async () => {
  // What happens in the demo depends on when it begins: the more of it, the surer one of its sessions has everything.
  server.ingestDemo(9_000);
  await server.start();
  await server.caughtUp();
  const { rows } = await server.get<{ rows: { session: string }[] }>('/v1/views/sessions?limit=200');
  for (const { session } of rows) {
    const answer = await server.get<{ items: Item[]; marks: Marks }>(`/v1/sessions/${encodeURIComponent(session)}/talk?limit=1000`);
    const isMarked = (['errors', 'decisions', 'edits'] as const).every((of) => answer.marks[of].some((nth) => nth > 0));
    if (isMarked && answer.items.some((item) => item.kind === 'agent')) Object.assign(talk, { session, ...answer });
  }
  expect(talk.session, 'the demo has a session with everything').not.toBe('');
});
afterAll(() => server.end());

const drawer = (page: Page, name: string): Locator => page.locator('aside[data-drawer]').and(page.getByRole('complementary', { name, exact: true }));

describe('the timeline', () => {
  interface Lanes {
    lanes: { actor: string; spans: Span[] }[];
  }
  const lanes = (from: string, to: string): Promise<Lanes> => server.get<Lanes>(`/v1/timeline?from=${from}&to=${to}&width=1000&limit=200`);
  const length = (span: Span): number => Date.parse(span.to) - Date.parse(span.from);

  it('zooms from hours to milliseconds, and a click leads to the record', async () => {
    const all = await lanes(new Date(Date.now() - HOUR_MS).toISOString(), new Date().toISOString());
    const isAlone = (name: string): boolean => all.lanes.filter(({ actor }) => actor.includes(name)).length === 1;
    const lane = all.lanes.find(({ actor, spans }) => isAlone(actor) && spans.slice(1, -1).some((span) => length(span) > 3_000));
    const span = lane?.spans.slice(1, -1).find((one) => length(one) > 3_000);
    if (lane === undefined || span === undefined) throw new Error('nobody did anything for three seconds');
    const middle = (Date.parse(span.from) + Date.parse(span.to)) / 2;
    const at = (ms: number): string => encodeURIComponent(new Date(ms).toISOString());
    const page = await visit(server, `/timeline?from=${at(middle - 2 * HOUR_MS)}&to=${at(middle + 2 * HOUR_MS)}&q=${encodeURIComponent(lane.actor)}`);
    await settled(page);
    const where = page.locator('main').getByRole('status').filter({ hasText: 'stands still' });
    await where.filter({ hasText: 'stands still: 4h from' }).waitFor();
    const closer = page.getByRole('button', { name: 'Show less time' });
    for (let step = 0; step < 16; step++) await closer.click();
    await where.filter({ hasText: /stands still: \d{2,3}ms from/ }).waitFor();
    await page.waitForURL((url) => Date.parse(url.searchParams.get('to') ?? '') - Date.parse(url.searchParams.get('from') ?? '') < 1_000);
    await settled(page);
    await page.getByText(/^1 lane$/).waitFor();

    const { searchParams } = new URL(page.url());
    const near = await lanes(searchParams.get('from') ?? '', searchParams.get('to') ?? '');
    const shown = near.lanes.find(({ actor }) => actor === lane.actor)?.spans.find((one) => Date.parse(one.from) <= middle && middle <= Date.parse(one.to));
    if (shown === undefined) throw new Error('the span is not in the middle');
    const canvas = page.locator('section[aria-label=Lanes] canvas');
    const { width } = (await canvas.boundingBox()) ?? { width: 0 };
    await canvas.hover({ position: { x: width / 2, y: LANE_MIDDLE } });
    await page.locator('.tips').getByText(`record ${shown.position}`).waitFor();
    await canvas.click({ position: { x: width / 2, y: LANE_MIDDLE } });
    const record = drawer(page, `Record ${shown.position}`);
    await record.getByRole('region', { name: 'Facts' }).getByRole('link', { name: lane.actor, exact: true }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('record')).toBe(String(shown.position));

    // And back to hours.
    const further = page.getByRole('button', { name: 'Show more time' });
    for (let step = 0; step < 16; step++) await further.click();
    await where.filter({ hasText: /stands still: \d+h/ }).waitFor();
  });

  it('shows the stretch that is drawn over, and goes to it by keys', async () => {
    const page = await visit(server, '/timeline?from=1h');
    await settled(page);
    const canvas = page.locator('section[aria-label=Lanes] canvas');
    const box = await canvas.boundingBox();
    if (box === null) throw new Error('there is no picture');
    await page.mouse.move(box.x + box.width / 2, box.y + LANE_MIDDLE);
    await page.mouse.down();
    await page.mouse.move(box.x + (box.width * 3) / 4, box.y + LANE_MIDDLE, { steps: 4 });
    await page.mouse.up();
    await page.getByText(/stands still: (14m|15m)/).waitFor();
    await page.locator('main h1').click();
    await page.keyboard.press('+');
    await page.getByText(/stands still: 7m/).waitFor();
  });
});

describe('a session', () => {
  const open = async (nth: number): Promise<Page> => {
    const page = await visit(server, `/sessions/${encodeURIComponent(talk.session)}?item=${nth}`);
    await settled(page);
    await article(page, nth).locator('.what').waitFor();
    return page;
  };
  const article = (page: Page, nth: number): Locator => page.getByRole('feed').locator(`article[data-nth="${nth}"]`);
  const isInSight = (node: Element): boolean => {
    const [{ top }, feed] = [node.getBoundingClientRect(), node.closest('[role=feed]')!.getBoundingClientRect()];
    return top >= feed.top - 2 && top < feed.bottom;
  };
  const found = (what: string, is: (item: Item) => boolean): Item => {
    const item = talk.items.find(is);
    if (item === undefined) throw new Error(`the session has no ${what}`);
    return item;
  };

  it('unfolds a tool with what it was given, what it gave back and how long it took', async () => {
    const call = found('call', ({ kind, input, result, duration_ms = 0 }) => kind === 'call' && input !== undefined && result !== undefined && result !== '' && duration_ms > 0);
    const page = await open(call.nth);
    const item = article(page, call.nth);
    const line = item.getByRole('button', { name: call.tool ?? '' });
    expect(await line.getAttribute('aria-expanded')).toBe('false');
    expect(await line.locator('.took').innerText()).toBe(duration(call.duration_ms ?? 0));
    await line.click();
    const given = item.getByRole('region', { name: `What ${call.tool} was given` });
    await given.waitFor();
    expect(JSON.parse(await given.innerText())).toEqual(typeof call.input === 'string' ? JSON.parse(call.input) : call.input);
    const gave = item.getByRole('region', { name: `What ${call.tool} gave back` });
    expect(await gave.textContent()).toBe(typeof call.result === 'string' ? call.result : JSON.stringify(call.result, null, 2));
    await line.click();
    await given.waitFor({ state: 'detached' });
  });

  it('shows an edit as what was taken out and what was put in', async () => {
    const edit = found('edit', ({ diff }) => diff !== undefined && diff.old !== '' && diff.new !== '');
    const { old = '', new: made = '' } = edit.diff ?? {};
    const page = await open(edit.nth);
    const item = article(page, edit.nth);
    await item.getByRole('button', { name: edit.tool ?? '' }).click();
    const diff = item.getByRole('region', { name: `Change of ${edit.path}` });
    await diff.waitFor();
    const lines = async (kind: string): Promise<string[]> => (await diff.locator(`p.${kind}`).allTextContents()).map((text) => text.slice(1));
    const only = (text: string, other: string): string[] => text.split('\n').filter((line) => line !== '' && !other.split('\n').includes(line));
    expect((await lines('old')).filter(Boolean)).toEqual(only(old, made));
    expect((await lines('new')).filter(Boolean)).toEqual(only(made, old));
  });

  it('has what a subagent did below it, and folds it', async () => {
    const agent = found('subagent', ({ kind, nth }) => kind === 'agent' && (talk.items[nth + 1]?.depth ?? 0) > 0);
    const behind = talk.items.slice(agent.nth + 1);
    const end = behind.findIndex(({ depth }) => depth <= agent.depth);
    const nBelow = end < 0 ? behind.length : end;
    const page = await open(agent.nth);
    const head = article(page, agent.nth).getByRole('button', { name: `subagent ${agent.by}` });
    const below = article(page, agent.nth + 1);
    await below.locator('.what').waitFor();
    const indent = (item: Locator): Promise<string> => item.locator('.what').evaluate((node) => getComputedStyle(node).getPropertyValue('--depth').trim());
    expect([await indent(article(page, agent.nth)), await indent(below)]).toEqual([String(agent.depth), String(agent.depth + 1)]);
    await head.click();
    await head.getByText(`${nBelow} items folded`).waitFor();
    await below.waitFor({ state: 'detached' });
    await head.click();
    await below.locator('.what').waitFor();
    expect(await head.getAttribute('aria-expanded')).toBe('true');
  });

  it.each(['error', 'decision', 'edit'] as const)('jumps to each %s and back', async (mark) => {
    const places = talk.marks[`${mark}s`].filter((nth) => nth > 0);
    expect(places.length).toBeGreaterThan(0);
    const page = await open(0);
    const at = async (nth: number): Promise<void> => {
      await page.locator('.place').getByText(`, at ${nth + 1}`).waitFor();
      const chosen = page.getByRole('feed').locator('article.chosen');
      await expect.poll(() => chosen.getAttribute('data-nth')).toBe(String(nth));
      await expect.poll(() => chosen.evaluate(isInSight)).toBe(true);
    };
    const go = page.getByRole('group', { name: 'Go to' });
    for (const nth of places.slice(0, 3)) {
      await go.getByRole('button', { name: `next ${mark}` }).click();
      await at(nth);
    }
    if (places.length > 1) {
      const last = Math.min(places.length, 3) - 1;
      await go.getByRole('button', { name: `${mark} before` }).click();
      await at(places[last - 1] ?? -1);
    }
  });

  it('stays at an item near the end, though what stands behind it is higher than was thought', async () => {
    const nth = talk.items.length - 16;
    const page = await open(nth);
    const last = article(page, talk.items.length - 1);
    await expect.poll(() => article(page, nth).evaluate(isInSight)).toBe(true);
    // The newest is a button away, and so it is not what is shown.
    await page.getByRole('button', { name: /Newest|newest/ }).click();
    await last.waitFor();
    await expect.poll(() => last.evaluate(isInSight)).toBe(true);
  });
});

it('shows of a chosen node of the work graph what it depends on', async () => {
  const { rows } = await server.get<{ rows: WorkRow[] }>('/v1/views/work?limit=10000');
  const chosen = rows.find((row) => row.blocked_by.some((id) => rows.some((other) => other.id === id)));
  if (chosen === undefined) throw new Error('no work waits for other work');
  const page = await visit(server, '/work?as=graph');
  await settled(page);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.locator(`#node-${chosen.id}`).click();
  const details = drawer(page, chosen.title ?? chosen.id);
  const waits = details.getByRole('region', { name: 'Waits for' });
  await waits.waitFor();
  expect(await waits.getByRole('listitem').locator('.verbatim').allInnerTexts()).toEqual(chosen.blocked_by);
  expect(await page.locator('svg .edge.lit').count(), 'its lines stand out').toBeGreaterThanOrEqual(chosen.blocked_by.length);
  expect(new URL(page.url()).searchParams.get('open')).toBe(chosen.id);

  // What it waits for is one click away, and is chosen in the picture.
  const [first = ''] = chosen.blocked_by;
  await waits.getByRole('button', { name: first, exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get('open') === first);
  await expect.poll(() => page.locator(`#node-${first}`).getAttribute('class')).toContain('chosen');
});

it('opens a file of the map with whoever touched it', async () => {
  const { rows } = await server.get<{ rows: FileRow[] }>('/v1/views/files?limit=10000');
  const file = rows.find((row) => row.writers.length > 0 && row.readers.length > 0);
  if (file === undefined) throw new Error('no file was read and changed');
  const page = await visit(server, '/files');
  await settled(page);
  const tile = page.getByRole('group', { name: /^Map of \d+ files/ }).getByRole('button', { name: `${file.path}: ` });
  await tile.click();
  const details = drawer(page, file.path.slice(file.path.lastIndexOf('/') + 1));
  await details.getByText(file.path, { exact: true }).waitFor();
  await details.getByText(new RegExp(`^${file.n_reads} reads, ${file.n_writes} changes`)).waitFor();
  const who = await details.getByRole('region', { name: 'Who touched it' }).getByRole('rowheader').allInnerTexts();
  expect(who.toSorted()).toEqual([...new Set([...file.readers, ...file.writers].map(({ actor }) => actor))].toSorted());
  expect(new URL(page.url()).searchParams.get('open')).toBe(file.path);
});
