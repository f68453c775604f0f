import { expect, test } from 'vitest';
import { formatHistory } from '#cli/record-history.ts';
import { REASONS } from '#shared/core/outcome/reasons.ts';
import type { FoundRecord } from '#shared/operator/find-record.ts';
import type { Target } from '#shared/operator/target.ts';
import { toText } from '#shared/people/message.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { readableEventSchema } from '#shared/people/read-events.ts';
import { sayEvent } from '#shared/people/types/all.ts';
import { exampleEvent } from '#test/support/example-event.ts';

const HOSTILE = '\u001b[2J\u009b\u202e\n';
const ESCAPED = '\\u001b[2J\\u009b\\u202e\\u000a';

test('control characters of ids, values, details of deliveries and reasons are escaped', () => {
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
    `1  timesheet.${ESCAPED}`,
    `timesheet.${ESCAPED}  ${ESCAPED}`,
    `webhook/${ESCAPED}: failed 1970-01-01 00:00:00, 1 attempt, ${ESCAPED}`,
    `${ESCAPED}: ${ESCAPED}`,
    expect.stringContaining(`(${ESCAPED})`),
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
  why: [{ reason: 'unchanged', about: HOSTILE }],
} as unknown as FoundRecord;

test('an event is told as people read it, with the last attempt of a delivery that waits for its retry', () => {
  const event = exampleEvent('workforce.timesheet.changed');
  const timeZone = 'Pacific/Auckland';
  const at = Date.parse('2026-11-22T12:00:00Z');
  const waiting = {
    destination: 'webhook/erp',
    outcome: 'waiting',
    at,
    attempts: 2,
    detail: '401',
    nextAt: at + 300_000,
  };
  const lines = show({ timeZone, chapters: [{ event, published: true, deliveries: [waiting] }] });
  const words = toText(sayEvent(readableEventSchema.parse(event), { timeZone, names: NO_NAMES }));
  expect(lines).toContain(`   ${event.sequence}  ${words}`);
  expect(lines).toContain(
    '      webhook/erp: waiting, last tried 2026-11-23 01:00:00, 2 attempts, 401, next try 2026-11-23 01:05:00',
  );
});

test('a receiver that gets no event of a record is named with the reason', () => {
  const event = exampleEvent('workforce.timesheet.clocked_in');
  const periods = { topics: ['pay-periods'], filter: {} };
  const lines = show(
    { chapters: [{ event, published: true, deliveries: [] }] },
    { queues: [{ name: 'payroll', ...periods }], webhooks: [{ name: 'erp', ...periods }] },
  );
  expect(lines).toContain(`      ${REASONS.no_receiver.says}: queue payroll, webhook erp`);
});

test('why there is no newer event is said with what can be done', () => {
  const why = [
    { reason: 'outside_window', about: '2026-01-02; watched are 2026-02-01 to 2026-03-05' },
    { reason: 'unchanged', about: '' },
  ];
  expect(show({ chapters: [], state: null, why }).slice(-4)).toEqual([
    'why there is no event:',
    `      ${REASONS.outside_window.says} (2026-01-02; watched are 2026-02-01 to 2026-03-05)`,
    `      -> ${REASONS.outside_window.mend}`,
    `      ${REASONS.unchanged.says}`,
  ]);
});

function show(found: object, receivers: object = { queues: [], webhooks: [] }): string[] {
  const target = { config: receivers } as unknown as Target;
  return formatHistory({ ...FOUND, record: '1_7', ...found } as unknown as FoundRecord, target);
}
