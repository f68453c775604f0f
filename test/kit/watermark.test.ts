import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkWatermark, type ReceivedEvent } from '#kit/watermark.ts';
import type { WorkforceEvent } from '#kit/workforce-event.ts';
import { addIds, NO_EVENTS } from '#shared/core/events/watermark-contents.ts';

const SOURCE = '/connections/main/timesheets';
const SINCE = '2026-11-08T18:00:00.000Z';
const DURING = '2026-11-08T18:02:00.000Z';
const AT = '2026-11-08T18:05:00.000Z';
const LATER = '2026-11-08T18:06:00.000Z';

describe('a watermark', () => {
  test.each([5, 1_500])(
    'that counts %i events is complete once each came, in any order and twice',
    (count) => {
      const counted = events(count);

      expect(checkWatermark([...counted.toReversed(), ...counted], watermarkOf(counted))).toEqual(COMPLETE);
    },
  );

  test('hands back what came behind it', () => {
    const [counted, later] = [events(3), events(2, { name: 'later', time: LATER })];

    expect(checkWatermark([...later, ...counted], watermarkOf(counted))).toEqual({ ...COMPLETE, later });
  });

  test.each([
    ['one is lost', (all: ReceivedEvent[]) => all.slice(1), 1],
    ['three are lost', (all: ReceivedEvent[]) => all.slice(3), 3],
    [
      'another one came instead',
      (all: ReceivedEvent[]) => [...all.slice(1), ...events(1, { name: 'other' })],
      1,
    ],
  ])('is not complete while %s', (_, lose, missing) => {
    const counted = events(5);

    expect(checkWatermark(lose(counted), watermarkOf(counted))).toEqual({
      ...COMPLETE,
      complete: false,
      missing,
    });
  });

  test.each([
    ['other feeds', { source: '/connections/main/pay-periods' }],
    ['the notifier', { type: 'workforce.trouble.began' }],
    ['states', { type: 'workforce.timesheet.snapshot' }],
  ] as const)('counts no events of %s', (_, other) => {
    const counted = events(2);

    expect(
      checkWatermark([...counted, ...events(2, { name: 'other', ...other })], watermarkOf(counted)),
    ).toEqual(COMPLETE);
  });

  test('counts what was seen before the one before, and told late, but not what is only sent again', () => {
    const [counted, early] = [events(3), events(2, { name: 'early', time: '2026-11-08T17:50:00.000Z' })];

    expect(checkWatermark([...counted, ...early], watermarkOf([...counted, ...early]))).toEqual(COMPLETE);
    expect(checkWatermark([...counted, ...early], watermarkOf(counted))).toEqual(COMPLETE);
  });

  test('is complete when events were forgotten since, which keep their ids', () => {
    const counted = events(3);
    const forgotten = counted.map((event) => ({ ...event, type: 'workforce.employee.forgotten' as const }));

    expect(checkWatermark(forgotten, watermarkOf(counted))).toEqual(COMPLETE);
  });

  test('that follows none counts nothing', () => {
    const { data, ...event } = watermarkOf([]);
    const first = { ...event, data: { ...data, since: null, events: null } };

    expect(checkWatermark(events(2), first)).toEqual(COMPLETE);
  });
});

const COMPLETE = { complete: true, missing: 0, later: [] };

function events(
  count: number,
  { name = 'event', ...members }: Partial<ReceivedEvent> & { name?: string } = {},
) {
  return Array.from({ length: count }, (_, place): ReceivedEvent => {
    const id = hash('sha256', `${name} ${place}`, 'hex').slice(0, 32);
    return { id, type: 'workforce.timesheet.approved', source: SOURCE, time: DURING, ...members };
  });
}

function watermarkOf(counted: readonly ReceivedEvent[]): WorkforceEvent<'workforce.feed.complete'> {
  const digest = addIds(
    NO_EVENTS,
    counted.map(({ id }) => id),
  );
  const data = { since: { id: 'before', at: SINCE }, events: { count: counted.length, digest } };
  return { source: SOURCE, time: AT, data } as WorkforceEvent<'workforce.feed.complete'>;
}
