/** Small imitations of other tools' change detection, as those document it. */
import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { BaselineStore } from './store.ts';

/** Takes the parsed body of a page; returns how many of its records changed. */
export type Detector = (body: unknown, store: BaselineStore) => Promise<number>;

/** One item per timesheet: validates and hashes each; a change writes the state, an event and an outbox entry. */
export const onePerTimesheet: Detector = async (body, store) => {
  const records = pageSchema.parse(body).data;
  const known = await store.read(records.map(({ id }) => `state/${id}`));
  const items = new Map<string, string>();
  for (const record of records) {
    const state = JSON.stringify(record);
    const hash = md5(state);
    const before = known.get(`state/${record.id}`);
    if (before?.startsWith(hash) === true) continue;
    const eventId = randomUUID();
    const previous = before === undefined ? null : JSON.parse(before.slice(hash.length));
    const event = { id: eventId, type: 'timesheet.changed', current: record, previous };
    items.set(`state/${record.id}`, hash + state);
    items.set(`event/${eventId}`, JSON.stringify(event));
    items.set(`outbox/${eventId}`, record.id);
  }
  await store.write(items);
  return items.size / 3;
};

/**
 * Like Nango's records cache: a sync sends batches of whole records as JSON; the cache compares the hash of each
 * payload and writes every new or updated record in full.
 */
export const nangoLike: Detector = async (body, store) => {
  const saved = syncedSchema.parse(body).data;
  const batch: { id: string }[] = JSON.parse(JSON.stringify(saved));
  const known = await store.read(batch.map(({ id }) => `record/${id}`));
  const items = new Map<string, string>();
  for (const record of batch) {
    const payload = JSON.stringify(record);
    const hash = md5(payload);
    const before = known.get(`record/${record.id}`);
    if (before?.startsWith(hash) === true) continue;
    const action = before === undefined ? 'ADDED' : 'UPDATED';
    const metadata = { action, cursor: randomUUID(), modified_at: new Date().toISOString() };
    items.set(`record/${record.id}`, `${hash}${JSON.stringify(metadata)}${payload}`);
  }
  await store.write(items);
  return items.size;
};

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

const text = z.string();
const clock = z.object({
  id: text,
  beacon: z.boolean(),
  kiosk: z.boolean(),
  localTime: text,
  variance: z.number(),
});
const reference = z.object({ id: text, name: text });
const timesheetSchema = z.object({
  id: text,
  approvedHours: text.nullable(),
  approvedPayroll: text.nullable(),
  casualJob: z.boolean(),
  clockIn: clock.nullable(),
  clockOut: clock.nullable(),
  date: text,
  department: reference.nullable(),
  details: z.array(z.object({ id: text, startTime: text, finishTime: text, hours: z.number() })),
  employeeId: text,
  finishTime: text,
  hoursToPay: z.number(),
  includesLeave: z.boolean(),
  organisationPayRollId: text,
  organisationWorkedId: text,
  overnight: z.boolean(),
  processed: text.nullable(),
  role: reference.nullable(),
  shift: reference.nullable(),
  startTime: text,
});
const pageSchema = z.object({ data: z.array(timesheetSchema) });
const syncedSchema = z.object({ data: z.array(z.looseObject({ id: text })) });
