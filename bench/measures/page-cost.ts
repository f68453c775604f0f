import { createHash } from 'node:crypto';
import * as z from 'zod';
import { emptyDigests, leafIndexOf, toggleDigest } from '#shared/core/digests.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { beginScan, recordsBySlice, takePage } from '#shared/core/scan.ts';
import { leafCountFor } from '#shared/core/snapshot.ts';
import { medianMicroseconds, type Row, ratio } from '../row.ts';
import { samplePageText, sampleTimesheet, seededRandom } from '../sample-records.ts';

const SEED = 4;
const RECORDS = 200;
const DATE = '2026-11-16';

/** P4: CPU of a page in which nothing changed, from its text to the digests of its leaves. */
export function measurePageCost(): Row[] {
  const random = seededRandom(SEED);
  const text = samplePageText(
    Array.from({ length: RECORDS }, (_, number) => sampleTimesheet(number, DATE, random)),
    RECORDS,
  );
  const parse = medianMicroseconds(() => void JSON.parse(text));
  const naive = medianMicroseconds(() => naivePage(text));
  const ours = medianMicroseconds(() => ourPage(text));
  const row = (baseline: string, value: number): Row => ({
    id: 'P4',
    metric: 'CPU of an unchanged page of 200',
    baseline,
    baselineValue: `${value.toFixed(0)} us`,
    ours: `${ours.toFixed(0)} us`,
    ratio: ratio(ours, value),
    seed: SEED,
  });
  return [row('JSON.parse alone', parse), row('parse, zod, stringify and MD5 of each record', naive)];
}

function ourPage(text: string): void {
  const { data } = JSON.parse(text) as { data: unknown[] };
  const scan = beginScan(feedDefinition('timesheets'), [DATE]);
  takePage(scan, { records: data, pagination: null, requestedAt: 0, receivedAt: 1 });
  const leafCount = leafCountFor(RECORDS);
  const digests = emptyDigests(leafCount);
  for (const { id, digest } of recordsBySlice(scan).get(DATE) ?? []) {
    toggleDigest(digests, leafIndexOf(id, leafCount), digest);
  }
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
const naivePageSchema = z.object({
  data: z.array(
    z.object({
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
    }),
  ),
});

function naivePage(page: string): void {
  for (const record of naivePageSchema.parse(JSON.parse(page)).data) {
    createHash('md5').update(JSON.stringify(record)).digest('hex');
  }
}
