// The log names of every record what the server's facts name: the demo's records of all dialects, as they stand in the table.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const DIALECTS = ['collector', 'engine', 'idle', 'needle', 'pinchy'];
/** A screen so high that every row of a dialect is drawn. */
const HEIGHT = 16_000;

interface Told {
  position: number;
  facts: { type: string; actor?: string; message?: string };
}

const server = new Server();
const { visit } = useBrowser();
let nRecords = 0;

beforeAll(async () => {
  server.ingestDemo(1_500);
  await server.start();
  const { records } = await server.get<{ records: { position: number }[] }>('/v1/events?limit=1');
  nRecords = records[0]?.position ?? 0;
});
afterAll(() => server.end());

/** Asks for older records until there are none. */
async function showAll(page: Page): Promise<void> {
  const foot = page.locator('main .foot');
  for (;;) {
    await foot.getByText(/show older ones|back to the first that matches/).first().waitFor();
    const older = foot.getByRole('button', { name: 'show older ones' });
    if ((await older.count()) === 0) return;
    const before = await foot.innerText();
    await older.click();
    await expect.poll(() => foot.innerText()).not.toBe(before);
  }
}

it('names the type, the actor and the words of the facts', async () => {
  const types = new Set<string>();
  let nCompared = 0;
  for (const dialect of DIALECTS) {
    const page = await visit(server, `/log?mode=pause&filter=dialect%3D${dialect}`, { height: HEIGHT });
    await settled(page);
    await showAll(page);
    const grid = page.getByRole('grid', { name: 'Records' });
    const nRows = Number(await grid.getAttribute('aria-rowcount')) - 1;
    await expect.poll(() => grid.locator('[role=row]:has([role=gridcell])').count()).toBe(nRows);
    const rows = await grid.locator('[role=row]:has([role=gridcell])').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '')));
    const told = await Promise.all(rows.map(([position]) => server.get<Told>(`/v1/events/${position}?facts=true`)));
    for (const [nth, { position, facts }] of told.entries()) {
      const [, , ofDialect, type, actor, text] = rows[nth] ?? [];
      expect.soft([ofDialect, type, actor], `record ${position}`).toEqual([dialect, facts.type, facts.actor ?? '']);
      if (facts.message) expect.soft(text, `record ${position}`).toBe(facts.message.trim());
      types.add(facts.type);
    }
    nCompared += rows.length;
  }
  expect(nCompared, 'every record was looked at').toBe(nRecords);
  for (const type of ['heartbeat.tick', 'pairing.started', 'config.applied', 'tool.call.requested', 'trace.ITERATION', 'message', 'JudgeResult', 'bead.claimed', 'hook.pre_tool_use']) expect(types).toContain(type);
}, 120_000);
