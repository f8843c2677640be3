import { describe, expect, it } from 'vitest';
import type { UsageRow } from '../../lib/api/rows';
import { BARS_MAX, DAYS_MAX, PARTS, amount, bars, days, holder, range, stacks, sum } from './figures';

const usage = (name: string | undefined, more: Partial<UsageRow> = {}): UsageRow => ({
  ...(name === undefined ? {} : { name }),
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  unsplit_tokens: 0,
  total_tokens: 0,
  cost_usd: 0,
  reported_usd: 0,
  estimated_usd: 0,
  unpriced_tokens: 0,
  n_reports: 1,
  ...more,
});

describe('bars', () => {
  const many = Array.from({ length: BARS_MAX + 5 }, (_, nth) => usage(`m${nth}`, { total_tokens: nth, cost_usd: 100 - nth }));

  it('are the greatest, and all others together', () => {
    const shown = bars(many, 'tokens', 'none');
    expect(shown).toHaveLength(BARS_MAX);
    expect(shown[0]?.title).toBe(`m${BARS_MAX + 4}`);
    expect(shown.at(-1)?.title).toBe('5 others');
    expect(sum(shown.map((bar) => bar.row)).total_tokens).toBe(sum(many).total_tokens);
  });

  it('go by what is measured, and leave out what is nothing', () => {
    expect(bars(many, 'cost', 'none')[0]?.title).toBe('m0');
    expect(bars([usage('idle'), usage(undefined, { cost_usd: 1 })], 'cost', 'no model').map((bar) => bar.title)).toEqual(['no model']);
  });

  it('are made of parts that come to the whole', () => {
    const row = usage('m', { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4, unsplit_tokens: 5, total_tokens: 15 });
    expect(PARTS.tokens.reduce((sum, part) => sum + (row[part.key] as number), 0)).toBe(row.total_tokens);
  });
});

describe('days', () => {
  const rows = [usage('2026-11-16', { cost_usd: 3, reported_usd: 1, estimated_usd: 2 }), usage('2026-11-14', { cost_usd: 1, reported_usd: 1 }), usage(undefined, { cost_usd: 9 })];

  it('come in order, with those on which nothing was used', () => {
    expect(days(rows).map((day) => [day.name, day.row?.cost_usd ?? null])).toEqual([['2026-11-14', 1], ['2026-11-15', null], ['2026-11-16', 3]]);
    expect(days([])).toEqual([]);
  });

  it('are no more than a chart has room for', () => {
    expect(days([usage('2020-01-01'), usage('2026-11-16')])).toHaveLength(DAYS_MAX);
  });

  it('are stacked from the whole down', () => {
    const [times, all, reported] = stacks(days(rows), 'cost');
    expect(times).toHaveLength(3);
    expect(all).toEqual([1, 0, 3]);
    expect(reported).toEqual([1, 0, 1]);
  });

  it('take a week of room at least', () => {
    const [from, to] = range(days([usage('2026-11-16')]));
    expect((to - from) / 86_400).toBe(7);
  });
});

it('shows an amount in its own unit, and none where it is not told', () => {
  expect([amount(0.45, 'usd'), amount(12_345, 'tokens'), amount(8, undefined), amount(0.657408, undefined), amount(undefined, 'usd')]).toEqual(['$0.45', '12.3k', '8', '0.657', '–']);
});

it('names whose budget it is by its scope', () => {
  expect(holder({ mark: 'ok', scope: 'task', actor: 'a', task: 't' })).toBe('t');
  expect(holder({ mark: 'ok', scope: 'day' })).toBe('each day');
});
