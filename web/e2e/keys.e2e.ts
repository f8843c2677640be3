// The keyboard: the help, the ways to pages, search, lists and their details, the palette; and commands on the clipboard.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { cells, settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const WAYS: [key: string, path: string][] = [
  ['i', '/inbox'],
  ['f', '/fleet'],
  ['t', '/timeline'],
  ['s', '/sessions'],
  ['r', '/traces'],
  ['w', '/work'],
  ['u', '/usage'],
  ['p', '/files'],
  ['d', '/decisions'],
  ['e', '/errors'],
  ['o', '/loops'],
  ['n', '/runs'],
  ['g', '/gateway'],
  ['b', '/subscriptions'],
  ['l', '/log'],
];

const server = new Server();
const { visit } = useBrowser();

beforeAll(async () => {
  server.ingestDemo(1_000);
  await server.start();
});
afterAll(() => server.end());

const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
const details = 'aside[data-drawer] h2';

it('shows every key with ? and closes it with Escape', async () => {
  const page = await visit(server, '/fleet');
  await settled(page);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await dialog.waitFor();
  expect(await dialog.locator('dt').count()).toBeGreaterThan(40);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it('goes to every page with g and a letter', async () => {
  const page = await visit(server, '/log');
  await settled(page);
  for (const [key, path] of WAYS) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.waitForURL((url) => url.pathname === path);
    await page.locator('nav [aria-current=page]').waitFor();
    await settled(page);
  }
  await page.goBack();
  await page.waitForURL((url) => url.pathname === '/subscriptions');
}, 90_000);

it('narrows a list with / and leaves the search with Escape', async () => {
  const page = await visit(server, '/fleet');
  await settled(page);
  const [first] = await cells(page, 1);
  const actor = first?.trim() ?? '';
  expect(actor).not.toBe('');
  await page.keyboard.press('/');
  await page.keyboard.type(actor);
  await page.waitForURL((url) => url.searchParams.get('q') === actor);
  await expect.poll(async () => (await page.locator('main [role=grid]').getAttribute('aria-rowcount')) ?? '').toMatch(/^\d$/);
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.searchParams.has('q'));
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('INPUT');
});

it('moves in a list with j and k, opens with Enter, closes with Escape', async () => {
  const page = await visit(server, '/fleet');
  await settled(page);
  const chosen = (): Promise<string> => page.locator('main [role=row][aria-selected=true] [role=gridcell]').first().innerText();
  await page.keyboard.press('j');
  const first = await chosen();
  await page.keyboard.press('j');
  const second = await chosen();
  expect(second).not.toBe(first);
  await page.keyboard.press('k');
  expect(await chosen()).toBe(first);
  await page.keyboard.press('Enter');
  await page.locator(details).waitFor();
  expect(await page.locator(details).innerText()).toBe(first.trim());
  await page.keyboard.press('j');
  await expect.poll(() => page.locator(details).innerText()).toBe(second.trim());
  await page.keyboard.press('Escape');
  await page.locator(details).waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
});

it('copies the command of the page and of a row', async () => {
  const page = await visit(server, '/log?mode=pause&filter=status%3Derror');
  await settled(page);
  await page.keyboard.press('c');
  await page.getByText('Copied: weft log status=error').waitFor();
  expect(await copied(page)).toBe('weft log status=error');
  await page.keyboard.press('j');
  const [position] = await cells(page, 1);
  await page.keyboard.press('c');
  await page.getByText(`Copied: weft show ${position}`).waitFor();
  expect(await copied(page)).toBe(`weft show ${position}`);
  // What was copied is a command that works.
  expect(server.run(['show', position ?? ''])).toContain(position);
  await page.goto(`${server.pages}/fleet?at=500`);
  await settled(page);
  await page.getByRole('button', { name: 'Copy the command weft fleet --at 500' }).click();
  await expect.poll(() => copied(page)).toBe('weft fleet --at 500');
});

it('finds pages, actors and records in the palette', async () => {
  const page = await visit(server, '/fleet');
  await settled(page);
  const find = async (text: string, title: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find' }).waitFor();
    await page.keyboard.type(text);
    await page.getByRole('option', { selected: true }).filter({ hasText: title }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await find('gatew', 'Gateway');
  await page.waitForURL((url) => url.pathname === '/gateway');
  await find('17', 'Record 17');
  await page.locator('aside[aria-label="Record 17"]').waitFor();
  await page.keyboard.press('Escape');
  const { rows } = await server.get<{ rows: { actor: string }[] }>('/v1/views/fleet?limit=1');
  const actor = rows[0]?.actor ?? '';
  await find(`${actor} actor`, actor);
  await page.waitForURL((url) => url.pathname === '/fleet' && url.searchParams.get('open') === actor);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Find' }).waitFor();
  expect(await violations(page)).toEqual([]);
});
