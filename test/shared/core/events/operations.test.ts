import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { computeEventId, toOperationText, toTraceParent } from '#shared/core/events/envelope.ts';
import { type Trouble, tellBegan, tellEnded } from '#shared/core/events/trouble.ts';
import { TROUBLE_KINDS } from '#shared/core/trouble-kinds.ts';
import { DATE, EPOCH, NOW, position, TIMESHEETS } from '#test/support/builders.ts';

const DOUBT: Trouble = {
  ...{ kind: 'dates_doubtful', subject: DATE, about: [DATE], count: 40 },
  ...{ since: NOW, cause: 'records_missing' },
};
const BEGAN = tellBegan(DOUBT);

describe('an operational event', () => {
  test('is a CloudEvent like any other', () => {
    expect(JSON.parse(toOperationText(BEGAN, TIMESHEETS, { epoch: EPOCH, sequence: 5, now: NOW }))).toEqual({
      specversion: '1.0',
      id: computeEventId(TIMESHEETS, '#operations', position(5)),
      source: '/connections/main/timesheets',
      type: 'workforce.trouble.began',
      subject: DATE,
      time: '2026-03-05T01:01:00.000Z',
      datacontenttype: 'application/json',
      dataschema: 'urn:workforce-change-notifier:schema:trouble.began:1',
      connection: 'main',
      ...position(5),
      partitionkey: `/connections/main/timesheets/${DATE}`,
      traceparent: toTraceParent(computeEventId(TIMESHEETS, '#operations', position(5))),
      data: {
        ...{ feed: 'timesheets', kind: 'dates_doubtful', about: [DATE], count: 40 },
        ...{ since: '2026-03-05T01:01:00.000Z', cause: 'records_missing' },
        action: expect.stringMatching(/^[A-Z].*\.$/),
      },
    });
  });

  test('about the whole feed has no subject', () => {
    const text = toOperationText({ ...BEGAN, subject: null }, TIMESHEETS, {
      epoch: EPOCH,
      sequence: 5,
      now: NOW,
    });
    expect(JSON.parse(text)).not.toHaveProperty('subject');
  });

  test('fits its schema, for each kind of trouble', () => {
    for (const kind of TROUBLE_KINDS) {
      const about = Array.from({ length: 60 }, (_, n) => `${n}`);
      for (const operation of [tellBegan, tellEnded].map((tell) => tell({ ...DOUBT, kind, about }))) {
        const event: unknown = JSON.parse(
          toOperationText(operation, TIMESHEETS, { epoch: EPOCH, sequence: 1, now: NOW }),
        );
        expect(eventSchema(operation.type).safeParse(event).error?.issues).toBeUndefined();
        expect(operation.data.about).toHaveLength(50);
      }
    }
  });
});
