// Loops are steered from their page: a real loop of the real binary is paused, resumed and cancelled, and the page shows it live.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { live, settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const SESSION = 'steer 1';
/** What a browser says by itself about an answer with this status. */
const REFUSED = /status of 409/;

const server = new Server();
const { visit } = useBrowser();
let run = '';

beforeAll(async () => {
  await server.start();
  server.run(['loop', 'start', '--session', SESSION, 'Port the parser']);
  run = state().state.run_id;
});
afterAll(() => server.end());

interface Status {
  state: { run_id: string; paused?: string };
}

/** Returns the loop as the command line has it. */
const state = (): Status => JSON.parse(server.run(['loop', 'status', '--session', SESSION, '--json'])) as Status;
const row = (page: Page) => page.getByRole('row').filter({ hasText: run });
const button = (page: Page, name: string) => page.getByRole('group', { name: `What can be asked of ${run}` }).getByRole('button', { name, exact: true });

async function opened(path = `/loops?open=${run}`, expected?: RegExp): Promise<Page> {
  const page = await visit(server, path, expected === undefined ? {} : { expected });
  await settled(page);
  return page;
}

it('pauses and resumes a loop, by mouse and by keys, and shows it as it is', async () => {
  const page = await opened();
  await live(page);
  await row(page).filter({ hasText: 'running' }).waitFor();
  expect(await button(page, 'Resume').isDisabled()).toBe(true);
  await button(page, 'Pause').click();
  await row(page).filter({ hasText: 'paused' }).waitFor();
  await page.getByText(`${run}: somebody paused it`).waitFor();
  expect(state().state.paused).toBe('asked');
  expect(await button(page, 'Pause').isDisabled()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await button(page, 'Resume').focus();
  await page.keyboard.press('Enter');
  await row(page).filter({ hasText: 'running' }).waitFor();
  expect(state().state.paused).toBeUndefined();
});

it('says in its place why it was not done', async () => {
  const page = await opened(undefined, REFUSED);
  await live(page);
  await row(page).filter({ hasText: 'running' }).waitFor();
  // Somebody else is faster.
  await page.route('**/control', async (route) => {
    server.run(['loop', 'pause', '--session', SESSION]);
    await route.continue();
  });
  await button(page, 'Pause').click();
  await page.getByRole('alert').filter({ hasText: 'somebody paused it. Nothing was changed.' }).waitFor();
  await row(page).filter({ hasText: 'paused' }).waitFor();
  server.run(['loop', 'resume', '--session', SESSION]);
  await row(page).filter({ hasText: 'running' }).waitFor();
});

it('offers nothing in the past, and says why', async () => {
  const page = await opened(`/loops?open=${run}&at=1`);
  await row(page).waitFor();
  expect(await button(page, 'Pause').isDisabled()).toBe(true);
  await page.getByText('A moment of the past is shown: go back to live to change anything.').waitFor();
});

it('steers a loop that no session has taken up', async () => {
  server.run(['loop', 'start', 'Wait for somebody']);
  const untaken = (): Status => JSON.parse(server.run(['loop', 'status', '--json'])) as Status;
  const { run_id } = untaken().state;
  const page = await visit(server, `/loops?open=${run_id}`);
  await settled(page);
  await live(page);
  const asked = page.getByRole('group', { name: `What can be asked of ${run_id}` });
  await asked.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('row').filter({ hasText: run_id }).filter({ hasText: 'paused' }).waitFor();
  expect(untaken().state).toMatchObject({ run_id, paused: 'asked' });
});

it('copies the command that does the same', async () => {
  const page = await opened();
  await page.getByRole('button', { name: `Copy the command weft loop escalate --session '${SESSION}'` }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`weft loop escalate --session '${SESSION}'`);
});

it('hands a loop to a person, who finds in the inbox how it goes on', async () => {
  const page = await opened();
  await live(page);
  await button(page, 'Escalate').click();
  await row(page).filter({ hasText: 'paused' }).waitFor();
  await page.goto(`${server.pages}/inbox`);
  await settled(page);
  await page.getByRole('row').filter({ hasText: 'somebody asked a person to look at it' }).first().waitFor();
  await page.getByText(`weft loop resume --session '${SESSION}'`).first().waitFor();
  server.run(['loop', 'resume', '--session', SESSION]);
});

it('asks before a loop is cancelled', async () => {
  const page = await opened();
  await live(page);
  await button(page, 'Cancel …').click();
  const question = page.getByRole('dialog', { name: `Cancel ${run}?` });
  await question.getByRole('button', { name: 'Keep it' }).click();
  await question.waitFor({ state: 'hidden' });
  expect(state().state.run_id).toBe(run);
  await button(page, 'Cancel …').click();
  await question.getByRole('button', { name: 'Cancel the loop' }).click();
  await row(page).filter({ hasText: 'aborted' }).waitFor();
  expect(await page.getByRole('group', { name: `What can be asked of ${run}` }).count()).toBe(0);
});
