// The live path: what is sent shows up by itself, and the title of the tab says how much needs a person.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { live, settled, useBrowser } from './browser.ts';
import { Server } from './server.ts';

const server = new Server();
const { visit } = useBrowser();

beforeAll(async () => {
  await server.start();
  await server.post({ event_type: 'lifecycle.started', agent_id: 'early', session_id: 'live-1', message: 'here' });
});
afterAll(() => server.end());

it('shows an actor on the fleet as soon as its event is sent', async () => {
  const page = await visit(server, '/fleet');
  await settled(page);
  await live(page);
  await page.evaluate(() => void ((globalThis as { isSame?: boolean }).isSame = true));
  await server.post({ event_type: 'activity.tool_use', agent_id: 'newcomer', session_id: 'live-2', tool: { tool_name: 'Bash' }, message: 'runs the tests' });
  const row = page.getByRole('row').filter({ hasText: 'newcomer' });
  await row.waitFor();
  await server.post({ event_type: 'coordination.blocked', agent_id: 'newcomer', session_id: 'live-2', message: 'needs a key' });
  await row.filter({ hasText: 'blocked' }).waitFor();
  expect(await page.evaluate(() => (globalThis as { isSame?: boolean }).isSame), 'the page was not loaded anew').toBe(true);
  await server.post({ event_type: 'activity.progress', agent_id: 'newcomer', session_id: 'live-2', message: 'goes on' });
  await row.filter({ hasText: 'progress' }).waitFor();
});

it('puts new records on top of the log, those alone that match', async () => {
  const page = await visit(server, '/log?filter=actor%3Dwriter');
  await settled(page);
  await page.getByText('No record matches').waitFor();
  await live(page);
  await server.post(
    { event_type: 'activity.progress', agent_id: 'somebody-else', session_id: 'live-3', message: 'not asked for' },
    { event_type: 'activity.progress', agent_id: 'writer', session_id: 'live-3', message: 'the first page' },
  );
  await page.getByRole('gridcell', { name: 'the first page' }).waitFor();
  await server.post({ event_type: 'activity.progress', agent_id: 'writer', session_id: 'live-3', message: 'the second page' });
  await page.getByRole('gridcell', { name: 'the second page' }).waitFor();
  const rows = await page.locator('main [role=row] [role=gridcell]').filter({ hasText: /page|asked/ }).allInnerTexts();
  expect(rows).toEqual(['the second page', 'the first page']);
});

it('counts in the title of the tab what needs a person', async () => {
  const page = await visit(server, '/inbox');
  await settled(page);
  await live(page);
  await page.waitForFunction(() => document.title === 'Inbox – Weft');
  await server.post({ event_type: 'hook.permission_request', agent_id: 'asker', session_id: 'live-4', tool: { tool_name: 'Bash' }, message: 'may I remove the folder?' });
  await page.waitForFunction(() => document.title === '(1) Inbox – Weft');
  await page.getByRole('row').filter({ hasText: 'asker' }).waitFor();
  await page.getByRole('link', { name: /^Fleet/ }).click();
  await page.waitForFunction(() => document.title === '(1) Fleet – Weft');
  await server.post({ event_type: 'hook.post_tool_use', agent_id: 'asker', session_id: 'live-4', tool: { tool_name: 'Bash' }, message: 'done' });
  await page.waitForFunction(() => document.title === 'Fleet – Weft');
});

it('tells of what is new by sound and notification where that is wanted and allowed', async () => {
  const page = await visit(server, '/inbox');
  await settled(page);
  await live(page);
  const notify = page.getByRole('button', { name: 'Notify' });
  await page.context().clearPermissions();
  await notify.click();
  await page.getByText('The browser does not allow notifications for this page').waitFor();
  expect(await notify.getAttribute('aria-pressed')).toBe('false');

  await page.context().grantPermissions(['notifications']);
  await page.evaluate(() => {
    const told: string[] = [];
    const Real = Notification;
    const tones = { n: 0 };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when?: number) {
      tones.n++;
      start.call(this, when);
    };
    class Heard extends Real {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        told.push(title);
      }
    }
    Object.assign(globalThis, { told, tones, Notification: Heard });
  });
  await notify.click();
  await page.locator('button[aria-pressed=true]').filter({ hasText: 'Notify' }).waitFor();
  const sound = page.getByRole('button', { name: 'Sound' });
  await sound.click();
  await page.waitForFunction(() => (globalThis as unknown as { tones: { n: number } }).tones.n === 2);

  // Whoever looks at the page sees it there; the notification is for those who do not.
  await page.evaluate(() => void Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }));
  await server.post({ event_type: 'hook.permission_request', agent_id: 'ringer', session_id: 'live-5', tool: { tool_name: 'Bash' }, message: 'may I ring?' });
  await page.waitForFunction(() => (globalThis as unknown as { told: string[] }).told.some((title) => title.includes('ringer')));
  await page.waitForFunction(() => (globalThis as unknown as { tones: { n: number } }).tones.n === 4);
});
