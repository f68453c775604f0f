import type { Change } from '#shared/core/compare.ts';
import { tell } from '#shared/core/events.ts';
import { operationText } from '#shared/core/operations.ts';
import { closedOn } from '#shared/core/plan.ts';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';

const BEFORE = Date.parse('2026-11-16T09:01:00.000Z');
const SEEN = Date.parse('2026-11-16T09:02:00.412Z');

const timesheet: SourceRecord = {
  id: '910001_4711',
  date: '2026-11-16',
  employeeId: '2001_4711',
  department: { id: '501_4711', name: 'Kitchen' },
  role: { id: '601_4711', name: 'Cook' },
  shift: null,
  organisationWorkedId: '1_4711',
  organisationPayRollId: '1_4711',
  startTime: '2026-11-15T20:00:00.000Z',
  finishTime: '2026-11-16T04:00:00.000Z',
  hoursToPay: 7.5,
  casualJob: false,
  includesLeave: false,
  overnight: false,
  clockIn: null,
  clockOut: null,
  approvedHours: null,
  approvedPayroll: null,
  processed: null,
  details: [],
};

const payPeriod: SourceRecord = {
  id: '3_4711',
  calendar: 'Weekly',
  startDate: '2026-11-09',
  finishDate: '2026-11-15',
  closed: null,
  payRollCompanyId: '',
  payRollProvider: 'PaySys',
};

/** Events as they are really told, for some typical changes. */
export function eventExamples(): { title: string; event: unknown }[] {
  const stamp = '2026-11-16T09:01:37.000Z';
  const approved = { ...timesheet, approvedHours: stamp };
  return [
    { title: 'A timesheet is approved', event: exampleOf('timesheets', timesheet, approved) },
    {
      title: 'Its hours change after the approval',
      event: exampleOf('timesheets', approved, { ...approved, hoursToPay: 8 }),
    },
    {
      title: 'An employee clocks in',
      event: exampleOf('timesheets', timesheet, {
        ...timesheet,
        clockIn: {
          id: '7001_4711',
          localTime: '2026-11-16T22:01:30',
          variance: 1.5,
          kiosk: true,
          beacon: false,
        },
      }),
    },
    {
      title: 'A pay period is closed',
      event: exampleOf('pay-periods', payPeriod, { ...payPeriod, closed: '2026-11-16' }),
    },
    {
      title: 'A feed is being watched from now on',
      event: JSON.parse(
        operationText(
          {
            type: 'baseline.completed',
            subject: null,
            data: {
              from: '2026-10-12',
              to: '2026-11-30',
              records: 1480,
              startedAt: '2026-11-16T08:58:00.000Z',
              completedAt: '2026-11-16T08:58:03.220Z',
            },
          },
          { connection: 'main', feed: 'timesheets' },
          { sequence: 1, now: Date.parse('2026-11-16T08:58:03.220Z') },
        ),
      ),
    },
  ];
}

function exampleOf(feed: 'timesheets' | 'pay-periods', before: SourceRecord, after: SourceRecord): unknown {
  const definition = feedDefinition(feed);
  const slice = definition.sliceOf(after) ?? '';
  const id = String(after.id);
  const change: Change = {
    id,
    before: { slice, row: { id, state: readRow(definition, before), sequence: 2, sent: {} } },
    standsIn: slice,
    after: { slice, row: readRow(definition, after) },
    sequence: 2,
    tombstoneIn: null,
    observed: { after: BEFORE, by: SEEN },
    seenAt: SEEN,
  };
  const context = {
    feed: { connection: 'main', feed },
    definition,
    timeZone: 'Pacific/Auckland',
    isClosed: closedOn([]),
    manifests: new Map(),
  };
  return JSON.parse(tell(change, context).texts[0] ?? 'null');
}
