import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkWatermark, type ReceivedEvent } from '#kit/watermark.ts';
import type { WorkforceEvent } from '#kit/workforce-event.ts';
import { tallyEvents } from '#shared/core/definitions/watermark-contents.ts';

describe('a watermark', () => {
  test('is complete when each event that it counts came, in any order, twice, and with later ones', () => {
    const counted = events(5);
    const later = events(2, 'later');

    const checked = checkWatermark([...later, ...counted.toReversed(), ...counted], watermarkOf(counted));

    expect(checked).toMatchObject({ outcome: 'complete', missing: [], doubtful: [] });
    expect(checked.later).toEqual(later);
  });

  test('names the event that did not come', () => {
    const counted = events(5);

    expect(checkWatermark(counted.slice(1), watermarkOf(counted))).toMatchObject({
      outcome: 'incomplete',
      missing: [counted[0]?.id],
    });
  });

  test('is checked for the types that a receiver gets', () => {
    const clockings = events(3, 'clocked', 'workforce.timesheet.clocked_in');
    const approvals = events(3, 'approved', 'workforce.timesheet.approved');
    const watermark = watermarkOf([...clockings, ...approvals]);

    expect(checkWatermark(approvals, watermark, { types: ['workforce.timesheet.approved'] })).toMatchObject({
      outcome: 'complete',
    });
    expect(checkWatermark(approvals, watermark).missing).toHaveLength(3);
  });

  test('says in which part something is missing when it counts too many events to list them', () => {
    const counted = events(1_500);
    const lost = counted[700];
    const later = events(3, 'later');
    const watermark = watermarkOf(counted);

    expect(checkWatermark([...counted, ...later], watermark)).toMatchObject({ outcome: 'complete', later });
    expect(
      checkWatermark(
        counted.filter((event) => event !== lost),
        watermark,
      ),
    ).toMatchObject({
      outcome: 'incomplete',
      missing: [],
      doubtful: [{ type: 'workforce.timesheet.approved', digit: lost?.id[0] }],
    });
  });

  test('that follows none counts nothing', () => {
    expect(
      checkWatermark(events(2), { ...watermarkOf([]), data: { ...watermarkOf([]).data, events: null } }),
    ).toMatchObject({ outcome: 'begins', later: events(2) });
  });
});

function events(count: number, name = 'event', type = 'workforce.timesheet.approved'): ReceivedEvent[] {
  return Array.from({ length: count }, (_, place) => ({
    id: toId(`${name} ${place}`),
    type,
    epoch: '2026-11-08T18:58:03.220Z',
    sequence: place + 1,
  }));
}

function toId(name: string): string {
  return hash('sha256', name, 'hex').slice(0, 32);
}

function watermarkOf(counted: readonly ReceivedEvent[]): WorkforceEvent<'workforce.feed.complete'> {
  return { data: { events: tallyEvents(counted) } } as WorkforceEvent<'workforce.feed.complete'>;
}
