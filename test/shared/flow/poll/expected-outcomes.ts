import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { computeEventId, OPERATIONS, toTraceParent } from '#shared/core/events/envelope.ts';
import { DATE, TIMESHEETS } from '#test/support/builders.ts';

/** What polls of a source with the builders' timesheets are expected to report and to publish. */

/** When the poll that read the baseline began, and when the next one had the answer to its first request. */
const BASELINE_AT = '2026-03-05T01:00:00.000Z';
export const SEEN_AT = '2026-03-05T01:01:00.050Z';

/** Watched values of a timesheet that nothing happened to, as events carry them. */
export const FACTS = {
  date: DATE,
  employeeId: '2001_7',
  departmentId: '501_7',
  roleId: '601_7',
  shiftId: null,
  organisationWorkedId: '1_7',
  organisationPayRollId: '1_7',
  startTime: '2026-03-04T20:00:00.000Z',
  finishTime: '2026-03-05T04:00:00.000Z',
  hoursToPay: 7.5,
  casualJob: false,
  includesLeave: false,
  overnight: false,
  clockIn: null,
  clockOut: null,
  approvedHours: null,
  approvedPayroll: null,
  processed: null,
};

/** Its segments, which only the first and the last event of a timesheet carry, and those that change them. */
export const DETAILS = [
  {
    id: '8001_7',
    activity: '301_7',
    alternateDepartment: null,
    alternateOrganisation: null,
    startTime: '2026-03-04T20:00:00.000Z',
    finishTime: '2026-03-05T04:00:00.000Z',
    hours: 7.5,
    mealBreak: true,
    restBreak: false,
  },
];

type ReportValues = Partial<Omit<PollReport, 'counts'>> & { readonly counts?: Partial<PollReport['counts']> };

/** The report of a poll that read three dates with one request and found nothing new, but for these values. */
export function createReport({ counts, ...values }: ReportValues = {}): PollReport {
  return {
    connection: 'main',
    feed: 'timesheets',
    outcome: 'complete',
    remainingSlices: 0,
    reasons: [],
    baselined: true,
    ...values,
    counts: {
      slices: 3,
      records: 3,
      requests: 1,
      throttled: 0,
      changes: 0,
      quarantined: 0,
      conflicts: 0,
      eventsCommitted: 0,
      eventsPublished: 0,
      eventsWaiting: 0,
      ...counts,
    },
  };
}

interface EventValues {
  readonly sequence?: number;
  readonly epoch?: string;
  /** When the answer that showed the change had arrived. */
  readonly seenAt?: string;
  /** Members of `data`, besides those that only say which timesheet it is. */
  readonly [member: string]: unknown;
}

/** The whole event of a timesheet; the first one of a record that the baseline had, unless the values say otherwise. */
export function createEvent(type: string, id: string, values: EventValues) {
  const { sequence = 1, epoch = BASELINE_AT, seenAt = SEEN_AT, ...data } = values;
  const eventId = computeEventId(TIMESHEETS, id, { epoch, sequence });
  return {
    ...createEnvelope({ type, sequence, epoch, time: seenAt }),
    id: eventId,
    subject: id,
    partitionkey: `/connections/main/timesheets/${id}`,
    traceparent: toTraceParent(eventId),
    data: {
      timesheetId: id,
      employeeId: '2001_7',
      departmentId: '501_7',
      organisationId: '1_7',
      changed: [],
      observed: { after: BASELINE_AT, by: seenAt },
      occurredAt: null,
      collapsed: false,
      late: [],
      ...data,
    },
  };
}

/** The event with which the baseline of the three dates is told. */
export function createBaselineEvent() {
  const completedAt = '2026-03-05T01:00:00.050Z';
  const position = { epoch: BASELINE_AT, sequence: 1 };
  const id = computeEventId(TIMESHEETS, OPERATIONS, position);
  return {
    ...createEnvelope({ type: 'baseline.completed', time: completedAt, ...position }),
    id,
    partitionkey: '/connections/main/timesheets',
    traceparent: toTraceParent(id),
    data: {
      feed: 'timesheets',
      from: '2026-03-04',
      to: '2026-03-06',
      records: 3,
      startedAt: BASELINE_AT,
      completedAt,
    },
  };
}

function createEnvelope({
  type,
  ...values
}: {
  readonly type: string;
  readonly time: string;
  readonly epoch: string;
  readonly sequence: number;
}) {
  return {
    specversion: '1.0',
    source: '/connections/main/timesheets',
    type: `workforce.${type}`,
    datacontenttype: 'application/json',
    dataschema: `urn:workforce-change-notifier:schema:${type}:1`,
    connection: 'main',
    ...values,
  };
}
