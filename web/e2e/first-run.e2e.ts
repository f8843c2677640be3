// The first run: an empty store says how to connect an agent, and the page goes on by itself when the first event comes.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

let server: Server;

beforeEach(async () => {
  server = await new Server().start();
});
afterEach(() => server.end());
// Hooks end in the reverse order: pages are closed before their server.
const { visit } = useBrowser();

it('says how to connect an agent, and goes on with the first event', async () => {
  const page = await visit(server, '/fleet');
  await page.getByRole('heading', { name: 'The log is empty' }).waitFor();
  const words = await page.locator('main').innerText();
  for (const command of ['weft hooks install', 'weft mcp install', 'weft ingest --claude', 'OTEL_EXPORTER_OTLP_ENDPOINT']) expect(words).toContain(command);
  expect(await violations(page)).toEqual([]);
  await server.post({ event_type: 'lifecycle.started', agent_id: 'first-agent', session_id: 'first', message: 'hello' });
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'first-agent' }).waitFor();
});

it('shows a command that works as it stands', async () => {
  const page = await visit(server, '/log');
  const command = page.locator('main code').filter({ hasText: 'curl ' });
  await promisify(execFile)('sh', ['-c', `${await command.innerText()} --silent --fail --noproxy '*'`]);
  await settled(page);
  await page.getByRole('gridcell', { name: 'hello, Weft' }).waitFor();
});
