import { describe, expect, test } from 'vitest';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import type { GenerationPlan } from '#shared/core/commit/generation.ts';
import { classifyRecords } from '#shared/core/compare/classify-records.ts';
import { detectChanges } from '#shared/core/compare/detect-changes.ts';
import { findDifferingLeaves } from '#shared/core/compare/differing-leaves.ts';
import { rewriteAsked, rewriteListed, rewriteRow, rewriteSlice } from '#shared/core/compare/row-rewrite.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { listHeadsAfter } from '#test/shared/core/commit/commit-inputs.ts';
import {
  clocking,
  createEventContext,
  createScan,
  createSnapshot,
  DAY_MS,
  leafRow,
  NOW,
  type SampleRecord,
  slice,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { wholeScan } from './run-comparison.ts';

const ZONE = 'Pacific/Auckland';
const LOCAL = '2026-03-05T09:01:30';
const IN_UTC = '2026-03-04T20:01:30.000Z';

const sheet = (n: number, values = {}) => timesheet({ id: `${n}_7`, ...values });
const many = (values = {}) => Array.from({ length: 100 }, (_, n) => sheet(n, values));

describe('a source that writes the same otherwise', () => {
  test('makes no leaf differ where the notation shows it', () => {
    const known = slice({ rows: many({ clockIn: clocking() }).map((record) => leafRow(record)) });
    const seen = many({ clockIn: clocking({ localTime: `${LOCAL}.000` }), startTime: '2026-03-04T20:00Z' });
    expect(findDifferingLeaves(createScan(seen), createSnapshot(known).heads)).toEqual([]);
  });

  test('is rewritten once and silently where only the time zone shows it', () => {
    const row = leafRow(sheet(1, { clockIn: clocking({ localTime: LOCAL }) }), {
      sequence: 3,
      sent: { clockIn: 3 },
    });
    const seen = sheet(1, { clockIn: clocking({ localTime: IN_UTC }) });
    const after = looked(slice({ rows: [row] }), [seen]);
    expect(after.texts).toEqual([]);
    expect(after.steps.map(({ events }) => events)).toEqual([null]);
    expect(after.rows).toEqual([{ ...row, state: leafRow(seen).state }]);
    expect(findDifferingLeaves(createScan([seen]), after.heads)).toEqual([]);
  });

  test('is not rewritten where no digest shows it, beside a record that changed', () => {
    const rows = [1, 2].map((n) => leafRow(sheet(n, { startTime: '2026-03-04T20:00:00.000Z' })));
    const seen = [sheet(1, { startTime: '2026-03-04T20:00Z' }), sheet(2, { hoursToPay: 1 })];
    const after = looked(slice({ rows }), seen);
    expect([after.texts.length, after.changes]).toEqual([1, 1]);
  });

  test('leaves what is still to be changeEvents of a record to be changeEvents', () => {
    const row = leafRow(sheet(1, { startTime: LOCAL }), { untold: true });
    const after = looked(slice({ rows: [row] }), [sheet(1, { startTime: IN_UTC })]);
    expect([after.texts, after.rows[0]?.untold]).toEqual([[], true]);
  });

  test('and changes something beside it is published with that alone', () => {
    const row = leafRow(sheet(1, { startTime: LOCAL, clockIn: clocking({ localTime: LOCAL }) }));
    const seen = { startTime: IN_UTC, clockIn: clocking({ localTime: IN_UTC }), hoursToPay: 8 };
    const { texts } = looked(slice({ rows: [row] }), [sheet(1, seen)]);
    const events = texts.map((text) => JSON.parse(text));
    expect(events.map(({ data }) => data.changed)).toEqual([['hoursToPay']]);
    expect(events[0].data.current).toMatchObject({ startTime: IN_UTC, hoursToPay: 8 });
  });
});

describe('a row that is rewritten without an event', () => {
  const row = leafRow(sheet(1), { sequence: 3, epoch: 7, seenAt: NOW - DAY_MS });
  const known = { slice: '2026-03-05', row };
  const rewrite = {
    ...{
      id: '1_7',
      before: known,
      rowSlice: known.slice,
      epoch: 7,
      sequence: 3,
      tombstoneSlice: null,
      silent: true,
    },
    after: { slice: known.slice, row: row.state },
  };
  const at = (seenAt: number) => ({ observed: { after: null, by: seenAt }, seenAt });
  const unlisted = { asks: 1, askedAt: NOW };

  test('says that its list leaves the record out, and when it was seen last', () => {
    const { seenAt: _, ...undated } = row;
    expect(rewriteAsked(known, NOW, 5)).toEqual({
      ...{ ...rewrite, ...at(NOW) },
      rewritten: { ...undated, unlisted, seenAt: 5 },
    });
    expect(rewriteAsked(known, NOW, null).rewritten).toEqual({ ...undated, unlisted });
  });

  test('says that its list has the record again', () => {
    const left = { slice: known.slice, row: { ...row, unlisted } };
    expect(rewriteListed(left, NOW)).toEqual({
      ...{ ...rewrite, ...at(NOW) },
      before: left,
      rewritten: { ...row, seenAt: NOW },
    });
  });

  test('is another one', () => {
    const other = { ...row, sequence: 0 };
    expect(rewriteRow(known, other, NOW)).toEqual({ ...rewrite, ...at(NOW), rewritten: other });
  });

  test('is moved as it is, as seen when it was', () => {
    const after = { slice: 'afar', row: row.state };
    const moved = { ...rewrite, ...at(NOW - DAY_MS), after, rewritten: row };
    expect(rewriteSlice(known, 'afar')).toEqual(moved);
    const { seenAt: _, ...undated } = row;
    expect(rewriteSlice({ ...known, row: undated }, 'afar')).toMatchObject(at(0));
  });
});

/** One look at a slice, as far as its commit. */
function looked(known: GenerationPlan, seen: readonly SampleRecord[]) {
  const scan = createScan(seen);
  const snapshot = createSnapshot(known);
  const classified = classifyRecords(scan, snapshot, wholeScan(scan, snapshot.heads));
  const { changes } = detectChanges({
    scan,
    snapshot,
    classified,
    answers: new Map(),
    coverage: {},
    timeZone: ZONE,
  });
  const changeEvents = changes.map((change) => toEvents(change, createEventContext()));
  const { steps } = planCommit({
    feed: TIMESHEETS,
    definition: feedDefinition('timesheets'),
    snapshot,
    changeEvents,
    observed: new Map([[known.head.slice, NOW]]),
    runId: 'run',
    now: NOW,
    retentionMs: 90 * DAY_MS,
  });
  const heads = listHeadsAfter(snapshot, steps);
  const rows = steps.flatMap(({ leaves }) => leaves).flatMap((leaf) => leaf.rows);
  return { texts: changeEvents.flatMap(({ texts }) => texts), changes: changes.length, steps, heads, rows };
}
