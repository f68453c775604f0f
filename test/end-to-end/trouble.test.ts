import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultySource, findFirstListed, make, startCompany, TODAY } from './company.ts';
import type { WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';

/** Operational events, and that nothing is lost meanwhile. */

const MINUTE_MS = 60_000;

let source: FaultySource;
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

  test('leaves the others alone, and is reported once, by its id', async () => {
    const bad = findFirstListed(source);
    const { id } = make(source, { change: 'create', date: TODAY });
    source.faults.add({ times: 'always', operation: 'listTimesheets', action: poison });
    const events = await stage.tell();
    expect(briefly(events)).toEqual([
      ['timesheet.created', id],
      ['began records_unreadable', bad.date],
    ]);
    expect(events[1]?.event.data).toMatchObject({ feed: 'timesheets', about: [bad.id], cause: 'hoursToPay' });
    expect(await stage.tell()).toEqual([]);
  });

  test('has its changes told once it can be read', async () => {
    const bad = make(source, { change: 'change', id: findFirstListed(source).id });
    expect(await stage.tell()).toEqual([]);

    source.faults.clear();

    expect(briefly(await stage.tell())).toEqual([
      ['timesheet.changed', bad.id],
      ['ended records_unreadable', bad.date],
    ]);
  });
});

describe('a source that does not answer', () => {
  test('is reported unreachable once, then recovered with the changes in between', async () => {
    source.faults.add({ times: 'always', action: { kind: 'html' } });
    const { id } = make(source, { change: 'create', date: TODAY });
    for (let polls = 1; polls <= 4; polls += 1) {
      stage.advance(1);
      expect(await stage.poll()).toMatchObject({ outcome: 'incomplete', counts: { slices: 0 } });
    }
    expect(briefly(await stage.inbox.take())).toEqual([['began source_unreachable', 'source']]);

    source.faults.clear();
    stage.advance(2);

    expect(briefly(await stage.tell())).toEqual([
      ['timesheet.created', id],
      ['ended source_unreachable', 'source'],
    ]);
  });

  test('that refuses the credential gets no more requests, and nothing is removed', async () => {
    source.faults.add({ times: 'always', action: { kind: 'status', status: 403 } });
    const { outcome, counts } = await stage.poll();
    source.faults.clear();

    expect(outcome).toBe('refused');
    expect(counts.requests).toBeLessThanOrEqual(5);
    expect(await stage.tell()).toEqual([]);
  });
});

describe('a list that is empty although it was full', () => {
  test('emits nothing, also when the records are back', async () => {
    source.faults.add({ times: 'always', operation: 'listPayPeriods', action: { kind: 'empty-list' } });
    expect(await stage.poll()).toMatchObject({ outcome: 'incomplete' });
    for (const minutes of [2, 2, 20]) {
      stage.advance(minutes);
      await stage.poll();
    }
    expect(briefly(await stage.inbox.take())).toEqual([]);
    source.faults.clear();
    stage.advance(2);
    expect(await stage.poll()).toMatchObject({ outcome: 'complete', counts: { changes: 0 } });
    expect(await stage.inbox.take()).toEqual([]);
  });
});

describe('a source whose answers are never complete', () => {
  const inPages = { pageSize: 5 };

  test('has its changes told all the same, and nothing removed', async () => {
    source.faults.add({ times: 'always', operation: 'listTimesheets', page: 2, action: { kind: 'html' } });
    const { id } = make(source, { change: 'change', id: findFirstListed(source).id });
    const later = stage.startHost({ laterMs: 50 * MINUTE_MS });
    await later.poll(inPages);
    expect(briefly(await stage.inbox.take())).toEqual([['timesheet.changed', id]]);
    source.faults.clear();
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
