// The time machine: every page at a past position, forward from there, and back to live.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cells, live, settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const server = new Server();
const { visit } = useBrowser();

/** The log: a walker that starts, uses a tool, waits and is done, and two that come later. */
beforeAll(async () => {
  await server.start();
  const walker = { agent_id: 'walker', session_id: 'walk', correlation: { trace_id: TRACE, span_id: '00f067aa0ba902b7' } };
  await server.post({ ...walker, event_type: 'lifecycle.started', message: 'sets off' });
  await server.post({ ...walker, event_type: 'activity.tool_use', tool: { tool_name: 'Read' }, message: 'reads the map' });
  await server.post({ ...walker, event_type: 'coordination.blocked', message: 'the bridge is out' });
  await server.post({ agent_id: 'second', session_id: 'walk-2', event_type: 'lifecycle.started', message: 'sets off too' });
  await server.post({ ...walker, event_type: 'lifecycle.completed', message: 'arrived' });
  await server.post({ agent_id: 'third', session_id: 'walk-3', event_type: 'lifecycle.started', message: 'sets off last' });
});
afterAll(() => server.end());

const positions = (table: string): string[] => [...table.matchAll(/^\s*(\d+)\s/gm)].map(([, position]) => position ?? '');
const row = (page: Page, actor: string) => page.getByRole('row').filter({ hasText: actor });
const slider = (page: Page) => page.getByRole('slider', { name: 'Position in the log' });

it('puts every page at a past position that is in the address', async () => {
  const page = await visit(server, '/fleet?at=3');
  await settled(page);
  await row(page, 'walker').filter({ hasText: 'blocked' }).waitFor();
  await page.getByText('as of record 3').waitFor();
  expect(await row(page, 'second').count()).toBe(0);
  await page.getByRole('link', { name: 'Log' }).click();
  await page.waitForURL((url) => url.pathname === '/log' && url.searchParams.get('at') === '3');
  await settled(page);
  await page.getByRole('gridcell', { name: 'the bridge is out' }).waitFor();
  expect(await cells(page, 1)).toEqual(['3', '2', '1']);
});

it('goes to a position with the slider and step by step with keys', async () => {
  const page = await visit(server, '/fleet');
  await settled(page);
  await live(page);
  await row(page, 'third').waitFor();
  await slider(page).fill('2');
  await row(page, 'walker').filter({ hasText: 'tool use' }).or(row(page, 'walker').filter({ hasText: 'reads the map' })).first().waitFor();
  expect(await row(page, 'third').count()).toBe(0);
  await page.waitForURL((url) => url.searchParams.get('at') === '2');
  await page.locator('main h1').click();
  await page.keyboard.press(']');
  await row(page, 'walker').filter({ hasText: 'blocked' }).waitFor();
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await page.getByText('as of record 1').waitFor();
  await page.waitForURL((url) => url.searchParams.get('at') === '1');
  await page.reload();
  await page.getByText('as of record 1').waitFor();
});

it('plays forward to the end and goes back to live', async () => {
  const page = await visit(server, '/fleet?at=1');
  await settled(page);
  await row(page, 'walker').waitFor();
  await page.getByLabel('Speed').selectOption('100');
  await page.getByRole('button', { name: 'Play forward' }).click();
  await row(page, 'third').waitFor();
  await page.waitForURL((url) => url.searchParams.get('at') === '6');
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.waitForURL((url) => !url.searchParams.has('at'));
  await live(page);
  await page.locator('header [role=status]').filter({ hasText: 'live' }).waitFor();
  await server.post({ agent_id: 'fourth', session_id: 'walk-4', event_type: 'lifecycle.started', message: 'is live' });
  await row(page, 'fourth').waitFor();
});

it('shows the past as past while new events come', async () => {
  const page = await visit(server, '/fleet?at=2');
  await settled(page);
  await row(page, 'walker').waitFor();
  await server.post({ agent_id: 'fifth', session_id: 'walk-5', event_type: 'lifecycle.started', message: 'unseen' });
  const last = await server.get<{ records: { position: number }[] }>('/v1/events?limit=1');
  await page.waitForFunction((last) => Number(document.querySelector<HTMLInputElement>('input[type=range]')?.max) >= last, last.records[0]?.position ?? 0);
  expect(await row(page, 'fifth').count()).toBe(0);
  await page.keyboard.press('.');
  await row(page, 'fifth').waitFor();
});

it('copies commands that show the same moment', async () => {
  const page = await visit(server, '/log?at=3');
  const copy = async (command: string): Promise<void> => {
    await settled(page);
    await page.getByRole('button', { name: `Copy the command ${command}`, exact: true }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(command);
  };
  await copy('weft log --before 4');
  expect(positions(server.run(['log', '--before', '4']))).toEqual(['1', '2', '3']);
  await page.goto(`${server.pages}/log?at=3&filter=actor%3Dwalker`);
  await copy('weft log actor=walker --before 4');
  await page.goto(`${server.pages}/sessions/walk?at=2`);
  await copy('weft session walk --at 2');
  const session = server.run(['session', 'walk', '--at', '2']);
  expect(session).toContain('reads the map');
  expect(session).not.toContain('the bridge is out');
  await page.goto(`${server.pages}/traces/${TRACE}?at=2`);
  await copy(`weft trace ${TRACE} --at 2`);
  expect(server.run(['trace', TRACE, '--at', '2'])).toContain('2 records');
  // Of a row, too.
  await page.goto(`${server.pages}/fleet?at=3`);
  await row(page, 'walker').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('c');
  await page.getByText('Copied: weft log actor=walker --before 4').waitFor();
});

it('has the time of the record on pages that have no past of their own, too', async () => {
  const page = await visit(server, '/fleet?at=2');
  await settled(page);
  await row(page, 'walker').waitFor();
  const when = page.locator('footer .when');
  const then = await when.innerText();
  for (const path of ['/subscriptions?at=2', '/log?at=2']) {
    await page.goto(server.pages + path);
    await settled(page);
    await when.filter({ hasText: then }).waitFor();
  }
});
