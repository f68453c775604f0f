import { PublishCommand } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChangeKind } from '#local/source/company/changes.ts';
import { EVENT_CATALOGUE, type RecordEventType, type ShortEventType } from '#shared/core/event-types.ts';
import type { Account } from '#shared/core/periods/account-data.ts';
import {
  type FaultySource,
  findFirstListed,
  make,
  makeAny,
  startCompany,
  TODAY,
  WATCHED,
} from './company.ts';
import { type Event, findTopics, takeMessages, type WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';
import { type SourceRecord, watched } from './watched.ts';

/** Poll by poll through every kind of change and its reversal. */

let source: FaultySource;
let stage: Stage;
/** Every event since the baseline. */
const told: WireEvent[] = [];

beforeAll(async () => {
  source = await startCompany();
  stage = await startStage({ source });
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

test('the first poll is stored, and one baseline.completed per feed is the only event', async () => {
  const events = await stage.tell();

  const records = {
    'pay-periods': source.company.payPeriods().length,
    timesheets: source.company.timesheets(WATCHED).length,
  };
  expect(records.timesheets).toBeGreaterThan(100);
  expect(events.map(({ type, event }) => [type, event.data])).toEqual([
    ['baseline.completed', expect.objectContaining({ feed: 'timesheets', records: records.timesheets })],
    ['baseline.completed', expect.objectContaining({ feed: 'pay-periods', records: records['pay-periods'] })],
  ]);
});

test('a poll that finds nothing new emits nothing', async () => {
  expect(await stage.tell()).toEqual([]);
});

/** The expected event of a change, beside what follows from the records. */
interface Expected {
  readonly type: RecordEventType;
  readonly changed?: readonly string[];
  readonly occurredAt?: string;
  readonly late?: readonly string[];
  readonly reverses?: RecordEventType;
  /** Of its dates, none of which is watched here. */
  readonly account?: Partial<Account>;
}

const DAY_MS = 86_400_000;
const NOW = '2026-03-04T22:00:00.000Z';
const FIVE_PAST = '2026-03-04T22:05:00.000Z';

/** Every change of the source, in the order of the life of one timesheet and one pay period. */
const LIFE: Readonly<Record<ChangeKind, Expected>> = {
  create: { type: 'timesheet.created' },
  change: { type: 'timesheet.changed', changed: ['finishTime', 'hoursToPay', 'details'] },
  'clock-in': { type: 'timesheet.clocked_in', changed: ['clockIn'], occurredAt: NOW },
  'correct-clock-in': {
    type: 'timesheet.clock_in_corrected',
    changed: ['clockIn'],
    occurredAt: FIVE_PAST,
  },
  'clock-out': { type: 'timesheet.clocked_out', changed: ['clockOut'], occurredAt: NOW },
  'correct-clock-out': {
    type: 'timesheet.clock_out_corrected',
    changed: ['clockOut'],
    occurredAt: FIVE_PAST,
  },
  approve: { type: 'timesheet.approved', changed: ['approvedHours'], occurredAt: NOW },
  'approve-payroll': { type: 'timesheet.payroll_approved', changed: ['approvedPayroll'] },
  process: { type: 'timesheet.processed', changed: ['processed'], occurredAt: NOW },
  'revert-processing': {
    type: 'timesheet.processing_reverted',
    changed: ['processed'],
    late: ['approval', 'processing'],
    reverses: 'timesheet.processed',
  },
  'revoke-payroll-approval': {
    type: 'timesheet.payroll_approval_revoked',
    changed: ['approvedPayroll'],
    late: ['approval'],
    reverses: 'timesheet.payroll_approved',
  },
  'revoke-approval': {
    type: 'timesheet.approval_revoked',
    changed: ['approvedHours'],
    late: ['approval'],
    reverses: 'timesheet.approved',
  },
  'remove-clock-out': {
    type: 'timesheet.clock_out_removed',
    changed: ['clockOut'],
    reverses: 'timesheet.clocked_out',
  },
  'remove-clock-in': {
    type: 'timesheet.clock_in_removed',
    changed: ['clockIn'],
    reverses: 'timesheet.clocked_in',
  },
  remove: { type: 'timesheet.removed' },
  'create-pay-period': { type: 'pay_period.created' },
  'change-pay-period': { type: 'pay_period.changed', changed: ['calendar'] },
  'close-pay-period': {
    type: 'pay_period.closed',
    changed: ['closed'],
    occurredAt: TODAY,
    account: {
      ...{ state: 'closed', verdict: 'not_yet', timesheets: 0, asOf: null, changes: null, difference: null },
      source: { timesheets: 0, employees: 0, hours: 0 },
      reserves: [{ kind: 'dates_unread', dates: { from: '2026-03-19', to: '2026-03-25' }, timesheets: null }],
    },
  },
  'reopen-pay-period': {
    type: 'pay_period.reopened',
    changed: ['closed'],
    late: ['close'],
    reverses: 'pay_period.closed',
    account: { state: 'reopened', verdict: 'not_yet' },
  },
  'remove-pay-period': { type: 'pay_period.removed' },
};
const STEPS = Object.entries(LIFE) as [ChangeKind, Expected][];

describe('the next poll emits each change once, with before and after, and nothing else', () => {
  let record: SourceRecord | null = null;
  let sequence = 0;

  test.each(STEPS)('%s', async (kind, { type, changed = [], late = [], ...expected }) => {
    const before = record;
    const madeAfter = stage.now();
    record = makeAny(source, kind, before?.id);
    const madeBefore = stage.now();

    const events = await stage.tell();

    told.push(...events);
    sequence = before === null ? 1 : sequence + 1;
    const id = record?.id ?? before?.id;
    expect(events.map((wire) => [wire.type, wire.event.subject, wire.event.sequence])).toEqual([
      [type, id, sequence],
    ]);
    const { observed, account, ...data } = dataOf(events);
    expect(data).toEqual({
      ...idsOf(record ?? before),
      ...statesOf({ before, record, changed }),
      changed,
      occurredAt: expected.occurredAt ?? null,
      collapsed: false,
      late,
      ...(expected.reverses === undefined ? {} : { reverses: idOfLast(expected.reverses) }),
    });
    if (expected.account === undefined) expect(account).toBeUndefined();
    else expect(account).toMatchObject(expected.account);
    expect(Date.parse(observed?.after ?? '')).toBeLessThanOrEqual(madeAfter);
    expect(Date.parse(observed?.by ?? '')).toBeGreaterThanOrEqual(madeBefore);
  });

  test('which covers every record event of the catalogue', () => {
    const types = Object.keys(EVENT_CATALOGUE) as ShortEventType[];
    // Of those that the source makes: time alone makes missing clockings and what a period comes to, snapshots are
    // asked for.
    const made = /^(?:timesheet|pay_period)\.(?!clock_\w+_missing|snapshot$|due$|recounted$|settled$)/;
    const ofRecords = types.filter((type) => made.test(type));
    expect(ofRecords).toHaveLength(20);
    expect(told.map(({ type }) => type).toSorted()).toEqual(ofRecords.toSorted());
  });

  test('the subscriber of the config receives what its filter passes, unchanged', async () => {
    const wanted = [
      'timesheet.approved',
      'timesheet.approval_revoked',
      'timesheet.changed',
      'timesheet.removed',
      'pay_period.closed',
      'pay_period.reopened',
    ];
    const expected = told.filter(({ type }) => wanted.includes(type));

    const messages = await takeMessages(stage.aws.sqs, 'workforce-notifier-payroll');

    expect(expected).toHaveLength(wanted.length);
    expect(messages.map(({ Body }) => Body)).toEqual(expected.map(({ text }) => text));
    expect(messages.map(({ MessageAttributes }) => MessageAttributes?.type?.StringValue)).toEqual(
      expected.map(({ event }) => event.type),
    );
  });

  test.each([
    ['on another topic', { topic: 'operations', complaint: 'topic: "operations" instead of "timesheets"' }],
    ['of no schema', { topic: 'timesheets', mood: 'good', complaint: 'Unrecognized key: "mood"' }],
    ['without attributes', { topic: 'timesheets', complaint: 'attributes: {} instead of {"type"' }],
  ])('all messages are checked: one %s is noticed', async (_name, { topic, complaint, ...more }) => {
    const [TopicArn] = [...findTopics(stage.aws)].find(([, name]) => name === topic) ?? [];
    const Message = JSON.stringify({ ...told[0]?.event, ...more });
    await stage.aws.sns.send(new PublishCommand({ TopicArn, Message }));

    await expect(stage.inbox.take()).rejects.toThrow(complaint);
  });
});

describe('what happened between two polls', () => {
  test('is emitted step by step in life-cycle order, marked as collapsed, and names what it reverses', async () => {
    const { id } = make(source, { change: 'create', date: TODAY });
    make(source, { change: 'approve', id });
    make(source, { change: 'clock-out', id });
    make(source, { change: 'clock-in', id });
    const events = await stage.tell();

    make(source, { change: 'approve-payroll', id });
    make(source, { change: 'remove-clock-in', id });
    make(source, { change: 'change', id, hours: 2 });
    make(source, { change: 'revoke-approval', id });
    const later = await stage.tell();

    expect(stepsOf(events)).toEqual([
      [1, 'timesheet.created', true],
      [2, 'timesheet.clocked_in', true],
      [3, 'timesheet.clocked_out', true],
      [4, 'timesheet.approved', true],
    ]);
    expect(stepsOf(later)).toEqual([
      [5, 'timesheet.approval_revoked', true],
      [6, 'timesheet.clock_in_removed', true],
      [7, 'timesheet.changed', true],
      [8, 'timesheet.payroll_approved', true],
    ]);
    expect(later.map(({ event }) => event.data.reverses)).toEqual([
      events[3]?.event.id,
      events[1]?.event.id,
      undefined,
      undefined,
    ]);
  });

  test('and was undone before the second one is not emitted', async () => {
    const { id } = make(source, { change: 'create', date: TODAY });
    await stage.tell();
    make(source, { change: 'approve', id });
    make(source, { change: 'revoke-approval', id });
    make(source, { change: 'remove', id: make(source, { change: 'create', date: TODAY }).id });

    expect(await stage.tell()).toEqual([]);
  });
});

test('a timesheet that moves to another date is one timesheet.changed, and its sequence continues', async () => {
  const before = make(source, { change: 'create', date: TODAY });
  await stage.tell();
  const after = make(source, { change: 'change', id: before.id, date: '2026-03-07' });

  const events = await stage.tell();

  expect(stepsOf(events)).toEqual([[2, 'timesheet.changed', false]]);
  const { current, previous } = dataOf(events);
  expect(current).toEqual(watched(after));
  expect(previous).toMatchObject({ date: TODAY, startTime: before.startTime });
  expect(await stage.tell()).toEqual([]);
});

test('unwatched members emit nothing: pay, names, links, unknown ones', async () => {
  const { department } = findFirstListed(source);
  const members = {
    __type: 'Timesheet:#Another',
    hourlyRate: '$99.00',
    contractedHoursId: '1_1',
    department: department && { ...department, name: 'Renamed' },
    mood: 'good',
  };
  const action = { kind: 'poison-record', members } as const;
  source.faults.add({ operation: 'listTimesheets', date: WATCHED.from, times: 1, action });
  const events = await stage.tell();

  expect(source.faults.list()).toEqual([]);
  expect(events).toEqual([]);
  expect(await stage.tell()).toEqual([]);
});

test('a date that enters the window emits events only for timesheets that already changed', async () => {
  const onDate = source.company.timesheets({ from: '2026-03-09', to: '2026-03-09' });
  const [{ id } = { id: '' }] = onDate;
  make(source, { change: 'approve', id });
  const tomorrow = stage.startHost({ laterMs: DAY_MS });
  const report = await tomorrow.poll();
  await tomorrow.stop();

  const events = await stage.inbox.take();

  expect(onDate.length).toBeGreaterThan(10);
  expect(report).toMatchObject({ outcome: 'complete', counts: { changes: 1 } });
  expect(events.map(({ type, event }) => [type, event.subject, event.data.observed?.after])).toEqual([
    ['timesheet.created', id, null],
    ['timesheet.approved', id, null],
  ]);
});

function statesOf({ before, record, changed }: StateChange) {
  return {
    current: record === null ? null : currentOf(record, changed, before === null),
    previous: before === null ? null : previousOf(before, changed, record === null),
  };
}

interface StateChange {
  readonly before: SourceRecord | null;
  readonly record: SourceRecord | null;
  readonly changed: readonly string[];
}

function dataOf(events: readonly WireEvent[]): Event['data'] {
  const [first] = events;
  if (first === undefined) throw new Error('nothing was emitted');
  return first.event.data;
}

function stepsOf(events: readonly WireEvent[]) {
  return events.map(({ type, event }) => [event.sequence, type, event.data.collapsed]);
}

function idOfLast(type: RecordEventType): string | undefined {
  return told.findLast((wire) => wire.type === type)?.event.id;
}

function idsOf(record: SourceRecord | null) {
  if (record === null || !('employeeId' in record)) return { payPeriodId: record?.id };
  return {
    timesheetId: record.id,
    employeeId: record.employeeId,
    departmentId: record.department?.id,
    organisationId: record.organisationWorkedId,
    payPeriods: periodsOf(record.date),
  };
}

/** The pay periods of a date, as a timesheet names them while they are open. */
function periodsOf(date: string | null) {
  const at = date ?? '';
  return source.company
    .payPeriods()
    .filter(({ startDate, finishDate }) => (startDate ?? '') <= at && at <= (finishDate ?? ''))
    .map(({ id, calendar }) => ({ id, calendar, state: 'open' }));
}

/** Details are long, and in `current` only when they changed. */
function currentOf(record: SourceRecord, changed: readonly string[], isNew: boolean) {
  const { details, ...state } = watched(record);
  return details !== undefined && (isNew || changed.includes('details')) ? { ...state, details } : state;
}

function previousOf(record: SourceRecord, changed: readonly string[], isGone: boolean) {
  const state = watched(record);
  if (isGone) return state;
  return Object.fromEntries(changed.map((name) => [name, state[name]]));
}
