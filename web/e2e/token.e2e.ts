// A server that needs a token: the page asks for it, says when it is not good, and takes it from behind `#token=` of its address.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { live, settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

/** What a browser says by itself about an answer with this status. */
const REFUSED = /status of 401/;

const server = new Server();
let token = '';
const { visit } = useBrowser();

beforeAll(async () => {
  server.ingestDemo(200);
  token = /weft_\S+/.exec(server.run(['token', 'new', 'board', '--scope', 'read']))?.[0] ?? '';
  expect(token).not.toBe('');
  await server.start('0.0.0.0');
});
afterAll(() => server.end());

it('asks for the token, refuses a wrong one, and goes on with the right one', async () => {
  const page = await visit(server, '/fleet', { expected: REFUSED });
  await page.getByRole('heading', { name: 'This server needs a token' }).waitFor();
  await page.getByLabel('Token').fill('weft_wrong');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('grid', { name: 'Actors' }).waitFor();
  await live(page);
});

it('takes the token from the address, and out of it', async () => {
  const page = await visit(server, `/log?filter=level%3Dinfo#token=${token}`);
  await settled(page);
  await page.locator('[role=grid] [role=gridcell], main .empty').first().waitFor();
  await live(page);
  expect(page.url()).toBe(`${server.pages}/log?filter=level%3Dinfo`);
  await page.reload();
  await settled(page);
  await live(page);
});
