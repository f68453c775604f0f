import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { clearFaults, findFirstListed, injectFault, make, startCompany, TODAY } from './company.ts';
import type { WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';

/** Operational events, and that nothing is lost meanwhile. */

const MINUTE_MS = 60_000;

let source: RunningSource;
let stage: Stage;

beforeAll(async () => {
  source = await startCompany();
  stage = await startStage({ source });
  await stage.tell();
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

describe('a record that does not conform to the specification', () => {
  const poison = { kind: 'poison-record', members: { hoursToPay: 'many' } } as const;

  test('is reported by its id, and the others go on', async () => {
    const bad = findFirstListed(source);
    const { id } = make(source, { change: 'create', date: TODAY });
    await injectFault(source, { operation: 'listTimesheets', action: poison });

    const events = await stage.tell();

    // Every requested list begins with such a record.
    const quarantined = events.filter(({ type }) => type === 'record.quarantined');
    expect(briefly(events.filter((each) => !quarantined.includes(each)))).toEqual([
      ['timesheet.created', id],
    ]);
    expect(quarantined.length).toBeLessThanOrEqual(3);
    expect(quarantined.find(({ event }) => event.subject === bad.id)?.event.data).toEqual({
      feed: 'timesheets',
      recordId: bad.id,
      issues: ['hoursToPay'],
    });
  });

  test('is reported once a day, and its changes wait until it can be read', async () => {
    const bad = make(source, { change: 'change', id: findFirstListed(source).id });
    expect(await stage.tell()).toEqual([]);

    await clearFaults(source);

    expect(briefly(await stage.tell())).toEqual([['timesheet.changed', bad.id]]);
  });
});

describe('a source that does not answer', () => {
  test('is reported unreachable once after three failed polls, then recovered with the changes in between', async () => {
    await injectFault(source, { operation: 'listTimesheets', action: { kind: 'html' } });
    const { id } = make(source, { change: 'create', date: TODAY });
    const failures: (readonly [string, readonly (readonly unknown[])[]])[] = [];
    for (let polls = 1; polls <= 4; polls += 1) {
      const { outcome } = await stage.poll('timesheets');
      failures.push([outcome, briefly(await stage.inbox.take())]);
    }
    await clearFaults(source);
    const events = await stage.tell();

    expect(failures).toEqual([
      ['incomplete', []],
      ['incomplete', []],
      ['incomplete', [['source.unreachable', undefined]]],
      ['incomplete', []],
    ]);
    expect(briefly(events)).toEqual([
      ['timesheet.created', id],
      ['source.recovered', undefined],
    ]);
    expect(events[1]?.event.data).toMatchObject({ feed: 'timesheets', failedPolls: 4 });
  });

  test('that refuses the credential gets no more requests, and nothing is removed', async () => {
    await injectFault(source, { action: { kind: 'status', status: 403 } });
    const reports = [await stage.poll('pay-periods'), await stage.poll('timesheets')];
    await clearFaults(source);

    expect(reports.map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
    expect(Math.max(...reports.map(({ counts }) => counts.requests))).toBeLessThanOrEqual(5);
    expect(await stage.tell()).toEqual([]);
  });
});

describe('a list that is empty although it was full', () => {
  test('holds its removals, and emits nothing when the records are back', async () => {
    const known = source.company.payPeriods().length;
    await injectFault(source, { operation: 'listPayPeriods', action: { kind: 'empty-list' } });
    const reports = [await stage.poll('pay-periods'), await stage.poll('pay-periods')];
    const events = await stage.inbox.take();
    await clearFaults(source);

    expect(reports.map(({ outcome }) => outcome)).toEqual(['incomplete', 'incomplete']);
    expect(briefly(events)).toEqual([['slice.shrunk', 'all']]);
    expect(events[0]?.event.data).toEqual({ feed: 'pay-periods', slice: 'all', missing: known, known });
    expect(await stage.poll('pay-periods')).toMatchObject({ outcome: 'complete', counts: { changes: 0 } });
    expect(await stage.inbox.take()).toEqual([]);
  });
});

describe('a source whose answers are never complete', () => {
  const inPages = { pageSize: 5 };

  test('stalls the feed after an hour; changes are still emitted, and nothing is removed', async () => {
    await injectFault(source, { operation: 'listTimesheets', page: 2, action: { kind: 'html' } });
    const { id } = make(source, { change: 'change', id: findFirstListed(source).id });
    const early = stage.hostOf('timesheets', { laterMs: 50 * MINUTE_MS });
    const late = stage.hostOf('timesheets', { laterMs: 70 * MINUTE_MS });
    await early.poll(inPages);
    const before = await stage.inbox.take();
    await late.poll(inPages);
    const after = await stage.inbox.take();
    await late.poll(inPages);
    const again = await stage.inbox.take();
    await clearFaults(source);
    const report = await late.poll(inPages);
    await Promise.all([early.stop(), late.stop()]);

    expect(briefly(before)).toEqual([['timesheet.changed', id]]);
    expect(briefly(after)).toEqual([['poll.stalled', undefined]]);
    expect(again).toEqual([]);
    expect(report.outcome).toBe('complete');
    expect(briefly(await stage.inbox.take())).toEqual([['poll.resumed', undefined]]);
  });
});

function briefly(events: readonly WireEvent[]) {
  return events.map(({ type, event }) => [type, event.subject]);
}
