// The accessibility check: axe-core within the page. It is evaluated, not loaded, because the content policy allows no other script.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES: RunOptions = { runOnly: ['wcag2a', 'wcag2aa'], resultTypes: ['violations'] };

/** Returns what breaks the rules of WCAG 2 A and AA: each rule with the elements that break it. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const results = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(at: unknown, options: unknown): Promise<AxeResults> } }).axe.run(document, options),
    RULES,
  );
  return results.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.any[0]?.message ?? node.failureSummary ?? ''}`));
}
