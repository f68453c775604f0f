import { describe, expect, it } from 'vitest';
import { buildSampleEvent, buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { computeEventId } from '#shared/core/events/envelope.ts';

describe('the sample events', () => {
  it.each(SHORT_EVENT_TYPES)('%s is an event of its type', (type) => {
    const event = JSON.parse(buildSampleEvent(type));
    expect(eventSchema(type).safeParse(event).error?.issues).toBeUndefined();
    expect(event.connection).toBe('main');
  });

  it('exist for every type, in the order of the catalogue, always the same', () => {
    expect([...buildSampleEvents().keys()]).toEqual(SHORT_EVENT_TYPES);
    expect([...buildSampleEvents()]).toEqual([...buildSampleEvents()]);
  });

  it('have distinct computed ids', () => {
    const ids = [...buildSampleEvents().values()].map((text) => JSON.parse(text).id);
    expect(new Set(ids).size).toBe(SHORT_EVENT_TYPES.length);
    const { id, epoch, sequence } = JSON.parse(buildSampleEvent('timesheet.approved'));
    const feed = { connection: 'main', feed: 'timesheets' } as const;
    expect(id).toBe(computeEventId(feed, '910001_4711', { epoch, sequence }));
  });

  it.each([
    [/^timesheet\.(?!clock_\w+_missing)/, 15],
    [/^pay_period\./, 7],
  ])('of %s are one life of one record, without gaps', (types, events) => {
    const life = [...buildSampleEvents()]
      .filter(([type]) => types.test(type) && !type.endsWith('.snapshot'))
      .map(([, text]) => JSON.parse(text));
    const sequences = life.map(({ sequence }) => sequence).sort((left, right) => left - right);
    expect(sequences).toEqual(Array.from({ length: events }, (_, index) => index + 1));
    expect(new Set(life.map(({ subject }) => subject)).size).toBe(1);
    const times = life.toSorted((left, right) => left.sequence - right.sequence).map(({ time }) => time);
    expect(times).toEqual(times.toSorted());
  });

  it.each([
    ['timesheet.snapshot', 14],
    ['pay_period.snapshot', 6],
  ] as const)('show with %s the record before it is removed', (type, sequence) => {
    const { sequence: last, subject, data } = JSON.parse(buildSampleEvent(type));
    const removal = JSON.parse(buildSampleEvent(type.replace('snapshot', 'removed') as 'timesheet.removed'));
    expect([last, subject]).toEqual([sequence, removal.subject]);
    expect(data.current).toEqual(removal.data.previous);
  });

  it('name the event that a reversal reverses', () => {
    const pairs = [
      ['timesheet.approval_revoked', 'timesheet.approved'],
      ['timesheet.clock_in_removed', 'timesheet.clocked_in'],
      ['pay_period.reopened', 'pay_period.closed'],
    ] as const;
    for (const [reversal, reversed] of pairs) {
      const { data } = JSON.parse(buildSampleEvent(reversal));
      expect([reversal, data.reverses]).toEqual([reversal, JSON.parse(buildSampleEvent(reversed)).id]);
    }
  });

  it('mark late changes', () => {
    const lateOf = (type: Parameters<typeof buildSampleEvent>[0]) =>
      JSON.parse(buildSampleEvent(type)).data.late;
    expect(lateOf('timesheet.changed')).toEqual(['approval']);
    expect(lateOf('timesheet.processing_reverted')).toEqual(['approval', 'processing', 'close']);
    expect(lateOf('timesheet.clock_in_corrected')).toEqual([]);
  });

  it('show a close with the timesheets of its dates', () => {
    const { closeManifest } = JSON.parse(buildSampleEvent('pay_period.closed')).data;
    expect(closeManifest).toMatchObject({ timesheets: 380, unapproved: 2, unprocessed: 3 });
  });

  it('carry neither names nor pay', () => {
    const all = [...buildSampleEvents().values()].join('\n');
    for (const secret of ['Kitchen', 'Cook', '31.50']) expect(all).not.toContain(secret);
  });
});
