import { expect, test } from 'vitest';
import { describeRecord } from '#workshop/deployed/scenarios/record-state.ts';
import { checkKnown, findChanged, foldEvents } from '#workshop/deployed/scenarios/subscriber.ts';

const SOURCE = '/connections/main/timesheets';
const record = (hoursToPay: number) => ({ id: '1_1', hoursToPay });
const buildEvent = (sequence: number, epoch: string, current: object | null) =>
  JSON.stringify({
    id: `${epoch}${sequence}`,
    type: 'workforce.timesheet.changed',
    source: SOURCE,
    subject: '1_1',
    partitionkey: `${SOURCE}/1_1`,
    epoch,
    sequence,
    data: { current },
  });
const KEY = `${SOURCE}/1_1`;
const states = (hoursToPay: number) => new Map([[KEY, describeRecord(record(hoursToPay))]]);

test('the latest epoch counts, whatever the order in which events arrive', () => {
  const known = foldEvents([
    buildEvent(1, '2026-02', record(8)),
    buildEvent(9, '2026-01', record(7)),
    JSON.stringify({ id: 'baseline', type: 'workforce.baseline.completed', source: SOURCE, sequence: 1 }),
  ]);
  expect(() => checkKnown([KEY], known, states(8))).not.toThrow();
  expect(() => checkKnown([KEY], known, states(7))).toThrow('1 of 1 records are not known as they are');
});

test('what changed, came or went is found', () => {
  expect(findChanged(states(7), states(7))).toEqual([]);
  expect(findChanged(states(7), states(8))).toEqual([KEY]);
  expect(findChanged(new Map(), states(7))).toEqual([KEY]);
  expect(findChanged(states(7), new Map())).toEqual([KEY]);
});

test('a removed record is known to be gone', () => {
  const known = foldEvents([buildEvent(1, '2026-02', record(8)), buildEvent(2, '2026-02', null)]);
  expect(() => checkKnown([KEY], known, new Map())).not.toThrow();
});
