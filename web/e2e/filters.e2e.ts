// The filter of the log: completion, an error in place, filters that are kept, and an address that shows another person the same.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cells, settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const server = new Server();
const { visit } = useBrowser();

beforeAll(async () => {
  server.ingestDemo(2_000);
  await server.start();
});
afterAll(() => server.end());

/** Returns the newest positions that match, as the server has them. */
async function matching(filter: string): Promise<string[]> {
  const { records } = await server.get<{ records: { position: number }[] }>(`/v1/events?limit=5&filter=${encodeURIComponent(filter)}`);
  return records.map(({ position }) => String(position));
}

it('completes fields and values, and finds what the server finds', async () => {
  const page = await visit(server, '/log?mode=pause');
  await settled(page);
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Filter the log' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  await page.keyboard.type('stat');
  await page.getByRole('option').filter({ hasText: 'status' }).first().waitFor();
  await page.keyboard.press('Tab');
  expect(await field.inputValue()).toMatch(/^status/);
  await field.fill('status=err');
  await page.getByRole('option').filter({ hasText: 'error' }).first().waitFor();
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => /^status=error\b/.test(document.querySelector<HTMLInputElement>('[role=combobox]')?.value ?? ''));
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('filter')?.trim() === 'status=error');
  const wanted = await matching('status=error');
  expect(wanted.length).toBe(5);
  await expect.poll(async () => (await cells(page, 1)).slice(0, 5)).toEqual(wanted);
});

it('marks what is wrong in its place, and does not ask for it', async () => {
  const page = await visit(server, '/log?mode=pause');
  await settled(page);
  const field = page.getByRole('combobox', { name: 'Filter the log' });
  await field.click();
  await field.fill('actor=a status=nonsense and');
  await page.getByRole('alert').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByRole('alert').innerText()).toMatch(/^✗ \S/);
  await page.locator('main .mark').waitFor();
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).searchParams.get('filter')).toBeNull();
  await field.fill('status=error');
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

it('says what is wrong with a filter that came with the address', async () => {
  const page = await visit(server, '/log?mode=pause&filter=status%3Dnonsense', { expected: /status of 400/ });
  await page.getByText('The filter cannot be read').waitFor();
  await page.getByRole('alert').waitFor();
});

it('keeps a filter in this browser', async () => {
  const page = await visit(server, '/log?mode=pause&filter=status%3Derror');
  await settled(page);
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await page.getByRole('button', { name: 'Kept', exact: true }).waitFor();
  await page.goto(`${server.pages}/log?mode=pause`);
  await settled(page);
  await page.getByRole('button', { name: 'Kept filters (1)' }).click();
  await page.getByRole('group', { name: 'Kept filters' }).getByRole('button', { name: 'status=error' }).click();
  await page.waitForURL((url) => url.searchParams.get('filter') === 'status=error');
  expect(await page.getByRole('combobox', { name: 'Filter the log' }).inputValue()).toBe('status=error');
});

it('shows another person the same at the same address', async () => {
  const mine = await visit(server, '/log?mode=pause&filter=status%3Derror');
  await settled(mine);
  await mine.getByRole('row').nth(2).click();
  await mine.locator('aside[data-drawer]').waitFor();
  const { pathname, search } = new URL(mine.url());
  const theirs = await visit(server, pathname + search);
  await settled(theirs);
  const title = await mine.locator('aside[data-drawer] h2').innerText();
  expect(title).toMatch(/^Record \d+$/);
  await theirs.locator('aside[data-drawer] h2').waitFor();
  expect(await theirs.locator('aside[data-drawer] h2').innerText()).toBe(title);
  expect(await cells(theirs, 1)).toEqual(await cells(mine, 1));
});

it('shows the columns that are chosen', async () => {
  const page = await visit(server, '/log?mode=pause');
  await settled(page);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Session' }).check();
  await page.getByRole('columnheader', { name: 'Session' }).waitFor();
  await page.reload();
  await page.getByRole('columnheader', { name: 'Session' }).waitFor();
});
