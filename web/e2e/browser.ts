// A Chromium, and pages in it that are watched: an error on the console, an error of a script, or a request to another host fails
// the test that opened the page.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Server } from './server.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const STEP_MS_MAX = 20_000;

export interface Look {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Errors that belong to what is tested, such as a server that is gone. */
  expected?: RegExp;
}

/** Starts a Chromium with a new profile. */
export function launch(flags: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), headless: true, args: [...FLAGS, ...flags] });
}

function findChromium(): string {
  const given = process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = [given, ...folders.map((folder) => join(folder, 'chromium')), '/usr/bin/chromium'].find((file) => file && existsSync(file));
  if (!found) throw new Error('chromium is not installed; CHROMIUM can say where it is');
  return found;
}

/** Gives the tests of a file a browser, and fails each in which a page had a fault. */
export function useBrowser(): { visit: (server: Server, path: string, look?: Look) => Promise<Page> } {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let faults: string[] = [];

  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    const [closing, found] = [contexts, faults];
    [contexts, faults] = [[], []];
    for (const context of closing) await context.close();
    if (found.length > 0) expect.fail(`the page had faults:\n${found.join('\n')}`);
  });

  async function visit(server: Server, path: string, look: Look = {}): Promise<Page> {
    const context = await browser.newContext({
      colorScheme: look.theme ?? 'light',
      viewport: { width: look.width ?? 1360, height: look.height ?? 850 },
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    });
    contexts.push(context);
    context.setDefaultTimeout(STEP_MS_MAX);
    const page = await context.newPage();
    const into = faults;
    const note = (fault: string): void => {
      if (!look.expected?.test(fault)) into.push(fault);
    };
    page.on('console', (message) => {
      if (message.type() === 'error') note(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => note(`script: ${error.stack ?? error.message}`));
    page.on('request', (asked) => {
      const { origin, protocol } = new URL(asked.url());
      if (origin !== new URL(server.pages).origin && !['data:', 'blob:'].includes(protocol)) note(`another host: ${asked.url()}`);
    });
    await page.goto(server.pages + path);
    return page;
  }

  return { visit };
}

/** Waits until a page has its title, and nothing on it is still loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main [data-page-title]').waitFor();
  await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
}

/** Waits until what is shown is live; on a large store the server may have to catch up first. */
export async function live(page: Page, timeout = STEP_MS_MAX): Promise<void> {
  await page.locator('html[data-link="live"]').waitFor({ timeout });
}

/** Returns the cells of a column of a table, of the rows that are drawn. */
export function cells(page: Page, nth: number): Promise<string[]> {
  return page.locator(`main [role=grid] [role=row] > [role=gridcell]:nth-child(${nth})`).allInnerTexts();
}
