import * as z from 'zod';
import type { FeedKey } from '#shared/core/feeds.ts';
import { getItem, putItem } from '../items.ts';
import { readJsonItem, toJsonItem } from '../json-items.ts';
import { toRatesKey } from '../keys.ts';
import type { Table } from '../table.ts';

const ratesSchema = z.object({ rates: z.string() });

/** Loads when changes are expected, as `saveChangeRates` got it; null when nothing is saved. */
export async function loadChangeRates(table: Table, feed: FeedKey): Promise<string | null> {
  const item = await getItem(table, 'loadChangeRates', toRatesKey(feed));
  return item === null ? null : readJsonItem(ratesSchema, item).rates;
}

export async function saveChangeRates(table: Table, feed: FeedKey, rates: string): Promise<void> {
  await putItem(table, 'saveChangeRates', toJsonItem(toRatesKey(feed), { rates }));
}
