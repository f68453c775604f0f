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

  test('leaves the others alone, and is reported by its id when it is still bad a minute later', async () => {
    const bad = findFirstListed(source);
    const { id } = make(source, { change: 'create', date: TODAY });
    await injectFault(source, { operation: 'listTimesheets', action: poison });
    expect(briefly(await stage.tell())).toEqual([['timesheet.created', id]]);

    const later = stage.startHost({ laterMs: 2 * MINUTE_MS });
    await later.poll({});
    const events = await stage.inbox.take();
    await later.stop();

    // Every requested list begins with such a record.
    expect(events.length).toBeLessThanOrEqual(3);
    expect(events.find(({ event }) => event.subject === bad.id)?.event.data).toMatchObject({
      ...{ feed: 'timesheets', kind: 'records_unreadable', about: [bad.id], cause: 'hoursToPay' },
    });
  });

  test('is reported once, and its changes wait until it can be read', async () => {
    const bad = make(source, { change: 'change', id: findFirstListed(source).id });
    expect(await stage.tell()).toEqual([]);

    await clearFaults(source);

    const events = briefly(await stage.tell());
    expect(events).toContainEqual(['timesheet.changed', bad.id]);
    expect(events).toContainEqual(['ended records_unreadable', bad.id]);
  });
});

describe('a source that does not answer', () => {
  test('is reported unreachable once after three failed polls, then recovered with the changes in between', async () => {
    await injectFault(source, { operation: 'listTimesheets', action: { kind: 'html' } });
    const { id } = make(source, { change: 'create', date: TODAY });
    const failures: (readonly [string, readonly (readonly unknown[])[]])[] = [];
    for (let polls = 1; polls <= 4; polls += 1) {
      const { outcome } = await stage.poll();
      failures.push([outcome, briefly(await stage.inbox.take())]);
    }
    await clearFaults(source);
    const events = await stage.tell();

    expect(failures).toEqual([
      ['incomplete', []],
      ['incomplete', []],
      ['incomplete', [['began source_unreachable', 'feed']]],
      ['incomplete', []],
    ]);
    expect(briefly(events)).toEqual([
      ['timesheet.created', id],
      ['ended source_unreachable', 'feed'],
    ]);
  });

  test('that refuses the credential gets no more requests, and nothing is removed', async () => {
    await injectFault(source, { action: { kind: 'status', status: 403 } });
    const { outcome, counts } = await stage.poll();
    await clearFaults(source);

    expect(outcome).toBe('refused');
    expect(counts.requests).toBeLessThanOrEqual(5);
    expect(await stage.tell()).toEqual([]);
  });
});

describe('a list that is empty although it was full', () => {
  test('holds its removals, and emits nothing when the records are back', async () => {
    const known = source.company.payPeriods().length;
    await injectFault(source, { operation: 'listPayPeriods', action: { kind: 'empty-list' } });
    const reports = [await stage.poll(), await stage.poll()];
    const events = await stage.inbox.take();
    await clearFaults(source);

    expect(reports.map(({ outcome }) => outcome)).toEqual(['incomplete', 'incomplete']);
    expect(briefly(events)).toEqual([['began dates_doubtful', 'all']]);
    expect(events[0]?.event.data).toMatchObject({ feed: 'pay-periods', about: ['all'], count: known });
    expect(await stage.poll()).toMatchObject({ outcome: 'complete', counts: { changes: 0 } });
    expect(briefly(await stage.inbox.take())).toEqual([['ended dates_doubtful', 'all']]);
  });
});

describe('a source whose answers are never complete', () => {
  const inPages = { pageSize: 5 };

  test('has its changes told all the same, and nothing removed', async () => {
    await injectFault(source, { operation: 'listTimesheets', page: 2, action: { kind: 'html' } });
    const { id } = make(source, { change: 'change', id: findFirstListed(source).id });
    const later = stage.startHost({ laterMs: 50 * MINUTE_MS });
    await later.poll(inPages);
    expect(briefly(await stage.inbox.take())).toEqual([['timesheet.changed', id]]);
    await clearFaults(source);
    expect((await later.poll(inPages)).outcome).toBe('complete');
    await later.stop();
    expect(await stage.inbox.take()).toEqual([]);
  });
});

function briefly(events: readonly WireEvent[]) {
  return events.map(({ type, event: { subject, data } }) => [
    type.startsWith('trouble.') ? `${type.replace('trouble.', '')} ${String(data.kind)}` : type,
    subject?.split(' ')[0],
  ]);
}
