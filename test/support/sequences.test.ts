import { expect, test } from 'vitest';
import { findGaps } from './sequences.ts';

test.each([
  { what: 'in any order', sequences: [2, 1, 3], gaps: 0 },
  { what: 'when one came twice', sequences: [1, 1, 2], gaps: 0 },
  { what: 'after a snapshot, or with nothing else', sequences: [0], gaps: 0 },
  { what: 'when the first is missing', sequences: [2], gaps: 1 },
  { what: 'when one between others is missing', sequences: [0, 1, 2, 4], gaps: 1 },
])('the events of a record are whole or have a gap: $what', ({ sequences, gaps }) => {
  expect(findGaps(sequences.map((sequence) => buildEvent(sequence)))).toHaveLength(gaps);
});

test('each epoch counts anew, and what tells of watching does not count', () => {
  const later = { epoch: '2026-11-18T01:00:00.000Z' };
  expect(findGaps([buildEvent(1), buildEvent(2), buildEvent(1, later)])).toEqual([]);
  expect(findGaps([buildEvent(7, { type: 'workforce.trouble.began' })])).toEqual([]);
});

function buildEvent(sequence: number, change: object = {}): string {
  const record = { source: '/connections/main/timesheets', subject: '1001_1' };
  const event = {
    type: 'workforce.timesheet.approved',
    ...record,
    epoch: '2026-11-17T01:00:00.001Z',
    sequence,
  };
  return JSON.stringify({ ...event, ...change });
}
