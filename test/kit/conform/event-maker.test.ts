import { describe, expect, test } from 'vitest';
import { buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import { createEventMaker, createTimesheetLife } from '#kit/conform/event-maker.ts';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, type ShortEventType } from '#shared/core/event-types.ts';

describe('what a receiver is sent', () => {
  test.each(SHORT_EVENT_TYPES)('as an example of %s is an event of the catalogue', (type) => {
    expect(() => eventSchema(type).parse(JSON.parse(maker().example(type)))).not.toThrow();
  });

  test('as the life of a record are events of the catalogue, in order, the last reversing the second', () => {
    const events = createTimesheetLife('17_1', maker()).map((text) => JSON.parse(text));

    for (const event of events) {
      const type = event.type.slice('workforce.'.length) as ShortEventType;
      expect(() => eventSchema(type).parse(event)).not.toThrow();
    }
    expect(events.map(({ subject, sequence, connection }) => [subject, sequence, connection])).toEqual([
      ['17_1', 1, 'conformance'],
      ['17_1', 2, 'conformance'],
      ['17_1', 3, 'conformance'],
      ['17_1', 4, 'conformance'],
    ]);
    expect(events[3].data.reverses).toBe(events[1].id);
  });

  test('is a new event each time and in each run', () => {
    const [one, other] = [maker('1'), maker('2')];
    const texts = [one, one, other, other].map((events) => events.example('timesheet.approved'));

    expect(new Set(texts.map((text) => JSON.parse(text).id)).size).toBe(4);
    expect(new Set(texts.map((text) => JSON.parse(text).subject)).size).toBe(4);
  });
});

function maker(run = '1700000000000') {
  return createEventMaker(buildSampleEvents(), run);
}
