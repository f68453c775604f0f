import { expect, test } from 'vitest';
import { formatHistory } from '#cli/record-history.ts';
import type { FoundRecord } from '#shared/operator/find-record.ts';
import type { Target } from '#shared/operator/target.ts';
import { exampleEvent } from '#test/support/example-event.ts';

const HOSTILE = '\u001b[2J\u009b\u202e\n';
const ESCAPED = '\\u001b[2J\\u009b\\u202e\\u000a';

test('control characters of ids, names of fields and details of deliveries are escaped', () => {
  const lines = formatHistory(FOUND, {
    config: { queues: [], webhooks: [] },
  } as unknown as Target);
  const unstyled = lines.map((line) =>
    line.replaceAll(new RegExp(`${HOSTILE.slice(0, 1)}\\[\\d+m`, 'g'), ''),
  );
  for (const line of unstyled) expect(line).not.toMatch(/\p{C}/u);
  const shown = unstyled.filter((line) => line.includes(ESCAPED)).map((line) => line.trim());
  expect(shown).toEqual([
    `timesheets ${ESCAPED} of main`,
    `1  timesheet.${ESCAPED}  ${ESCAPED}`,
    `late: after ${ESCAPED}`,
    `${ESCAPED}: – -> ${ESCAPED}`,
    `webhook/${ESCAPED}: failed 1970-01-01 00:00:00, 1 attempt, ${ESCAPED}`,
    `${ESCAPED}: ${ESCAPED}`,
  ]);
});

const FOUND = {
  connection: 'main',
  timeZone: 'UTC',
  feed: 'timesheets',
  record: HOSTILE,
  chapters: [
    {
      event: {
        id: HOSTILE,
        type: `workforce.timesheet.${HOSTILE}`,
        source: '/connections/main/timesheets',
        subject: HOSTILE,
        connection: 'main',
        sequence: 1,
        time: '1970-01-01T00:00:00.000Z',
        data: {
          current: { [HOSTILE]: HOSTILE },
          previous: {},
          changed: [HOSTILE],
          observed: { after: null, by: '1970-01-01T00:00:00.000Z' },
          late: [HOSTILE],
        },
      },
      committedAt: '1970-01-01T00:00:00.000Z',
      published: true,
      deliveries: [
        { destination: `webhook/${HOSTILE}`, outcome: 'failed', at: 0, attempts: 1, detail: HOSTILE },
      ],
    },
  ],
  state: { [HOSTILE]: HOSTILE },
  sequence: 1,
} as unknown as FoundRecord;

test('a missing clocking is explained in words', () => {
  const event = exampleEvent('workforce.timesheet.clock_in_missing');
  const found = {
    ...FOUND,
    timeZone: 'Pacific/Auckland',
    chapters: [{ event, published: true, deliveries: [] }],
  };
  const target = { config: { queues: [], webhooks: [] } } as unknown as Target;
  expect(formatHistory(found as unknown as FoundRecord, target)).toContain(
    '      no clock-in, planned 09:00',
  );
});
