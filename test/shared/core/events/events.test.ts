import { describe, expect, test } from 'vitest';
import { toIso } from '#shared/core/dates.ts';
import { computeEventId } from '#shared/core/events/envelope.ts';
import { type Change, toEvents } from '#shared/core/events/events.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import {
  clocking,
  createChange,
  createEventContext,
  createPeriodFinder,
  detail,
  EARLIER,
  knownPeriod,
  NOW,
  PAY_PERIODS,
  payPeriod,
  position,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { buildEvents, type Event, history, STAMP } from './history.ts';

const HALF_PAST = clocking({ localTime: '2026-03-05T08:30:00' });

describe('an event', () => {
  test('is a CloudEvent with its extensions, and says all there is to say', () => {
    const [event] = buildEvents(createChange(timesheet(), timesheet({ approvedHours: STAMP })));
    expect(event).toEqual({
      specversion: '1.0',
      id: computeEventId(TIMESHEETS, '1001_7', position(3)),
      source: '/connections/main/timesheets',
      type: 'workforce.timesheet.approved',
      subject: '1001_7',
      time: '2026-03-05T01:01:00.000Z',
      datacontenttype: 'application/json',
      dataschema: 'urn:workforce-change-notifier:schema:timesheet.approved:1',
      connection: 'main',
      ...position(3),
      partitionkey: '/connections/main/timesheets/1001_7',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      data: {
        timesheetId: '1001_7',
        employeeId: '2001_7',
        departmentId: '501_7',
        organisationId: '1_7',
        current: {
          ...{
            date: '2026-03-05',
            employeeId: '2001_7',
            departmentId: '501_7',
            roleId: '601_7',
            shiftId: null,
          },
          ...{ organisationWorkedId: '1_7', organisationPayRollId: '1_7', hoursToPay: 7.5, casualJob: false },
          ...{ startTime: '2026-03-04T20:00:00.000Z', finishTime: '2026-03-05T04:00:00.000Z' },
          ...{ includesLeave: false, overnight: false, clockIn: null, clockOut: null },
          ...{ approvedHours: STAMP, approvedPayroll: null, processed: null },
        },
        previous: { approvedHours: null },
        changed: ['approvedHours'],
        observed: { after: '2026-03-05T01:00:00.000Z', by: '2026-03-05T01:01:00.000Z' },
        occurredAt: STAMP,
        collapsed: false,
        late: [],
      },
    });
  });

  test('of a pay period has its own id and nothing of a timesheet', () => {
    const [event] = buildEvents(createChange(payPeriod(), payPeriod({ closed: '2026-03-09' })), PAY_PERIODS);
    expect(event).toMatchObject({
      id: computeEventId(PAY_PERIODS, '3_7', position(3)),
      source: '/connections/main/pay-periods',
      type: 'workforce.pay_period.closed',
      dataschema: 'urn:workforce-change-notifier:schema:pay_period.closed:1',
      data: {
        ...{ payPeriodId: '3_7', previous: { closed: null }, changed: ['closed'], occurredAt: '2026-03-09' },
        ...{ current: { calendar: 'Weekly', closed: '2026-03-09' }, account: null },
      },
    });
    for (const name of ['timesheetId', 'employeeId', 'payPeriods'])
      expect(event?.data).not.toHaveProperty(name);
  });

  test('of a new record has no previous, that of a removed one no current', () => {
    const [created] = buildEvents(createChange(null, timesheet()));
    expect(created?.sequence).toBe(1);
    expect(created?.data).toMatchObject({ previous: null, changed: [], occurredAt: null });
    expect(created?.data.current).toHaveProperty('details');
    const [removed] = buildEvents(createChange(timesheet(), null));
    expect(removed?.data).toMatchObject({
      employeeId: '2001_7',
      organisationId: '1_7',
      current: null,
      changed: [],
    });
    expect(removed?.data.previous).toEqual(created?.data.current);
  });

  test('has its details only when they changed', () => {
    const before = timesheet();
    const [hours] = buildEvents(createChange(before, timesheet({ hoursToPay: 8 })));
    expect(hours?.data.current).not.toHaveProperty('details');
    expect(hours?.data.previous).toEqual({ hoursToPay: 7.5 });
    const after = timesheet({ details: [detail({ hours: 8 })], approvedHours: STAMP });
    const [changed, approved] = buildEvents(createChange(before, after));
    expect(changed?.data.current).toMatchObject({ details: [{ id: '8001_7', hours: 8 }] });
    expect(changed?.data.previous).toMatchObject({ details: [{ id: '8001_7', hours: 7.5 }] });
    expect(approved?.data.current).not.toHaveProperty('details');
  });

  test('says what it makes of closed periods, if anything', () => {
    const findPeriods = createPeriodFinder([knownPeriod({ closed: true })]);
    const change = createChange(timesheet(), timesheet({ hoursToPay: 8 }));
    const [late, inTime] = [{ findPeriods }, {}].map(
      (values) => toEvents(change, createEventContext(TIMESHEETS, values)).texts[0] ?? '',
    );
    expect(JSON.parse(late ?? '').data.closedPeriods).toMatchObject([{ id: '3_7', hours: 0.5 }]);
    expect(JSON.parse(inTime ?? '').data).not.toHaveProperty('closedPeriods');
  });

  test('names the places that the timesheet left with the change', () => {
    const moved = timesheet({ department: { id: '502_7' }, organisationWorkedId: '9_7' });
    const [event] = buildEvents(createChange(timesheet(), moved));
    expect(event?.data).toMatchObject({
      departmentId: '502_7',
      previousDepartmentId: '501_7',
      organisationId: '9_7',
      previousOrganisationId: '1_7',
    });
    const [stayed] = buildEvents(createChange(timesheet(), timesheet({ hoursToPay: 8 })));
    for (const name of ['previousDepartmentId', 'previousOrganisationId'])
      expect(stayed?.data).not.toHaveProperty(name);
  });

  test('names the pay periods of the timesheet after the change, where they are known', () => {
    const periods = [
      knownPeriod({ id: '3_7' }),
      knownPeriod({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15', closed: true }),
    ];
    const change = (date: string) => createChange(timesheet(), timesheet({ date, hoursToPay: 8 }));
    const named = (date: string, findPeriods = createPeriodFinder(periods)) =>
      JSON.parse(toEvents(change(date), createEventContext(TIMESHEETS, { findPeriods })).texts[0] ?? '').data
        .payPeriods;
    expect(named('2026-03-05')).toEqual([{ id: '3_7', calendar: 'Weekly', state: 'open' }]);
    expect(named('2026-03-10')).toEqual([{ id: '4_7', calendar: 'Weekly', state: 'closed' }]);
    expect(named('2026-04-01')).toEqual([]);
    expect(named('2026-03-05', () => null)).toBeUndefined();
    expect(
      named(
        '2026-03-05',
        createPeriodFinder([knownPeriod(), knownPeriod({ id: '5_7', calendar: 'Monthly' })]),
      ),
    ).toBeUndefined();
  });

  test('and its row have the epoch of the record, and the row what it remembers besides', () => {
    const row = { epoch: Date.parse(STAMP), sent: { approvedHours: 2 }, memory: { remindedAt: 7 } };
    const change = createChange(timesheet({ approvedHours: STAMP }), timesheet(), { row });
    const { texts, row: after } = toEvents(change, createEventContext());
    const id = (sequence: number) => computeEventId(TIMESHEETS, '1001_7', { epoch: STAMP, sequence });
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      ...{ epoch: STAMP, sequence: 3, id: id(3), data: { reverses: id(2) } },
    });
    expect(after).toMatchObject({ epoch: row.epoch, sequence: 3, memory: row.memory });
  });

  test('that settles others names them in the epoch of the record', () => {
    const row = { epoch: Date.parse(STAMP), sent: { 'open:approvedHours': 2 * 8 + 1 } };
    const change = createChange(timesheet(), timesheet({ processed: STAMP }), { row });
    const [text = ''] = toEvents(change, createEventContext()).texts;
    expect(JSON.parse(text).data.settles).toEqual([
      {
        id: computeEventId(TIMESHEETS, '1001_7', { epoch: STAMP, sequence: 2 }),
        type: 'workforce.timesheet.approval_revoked',
        late: ['approval'],
      },
    ]);
  });

  test('of a change of what is watched for names alone is none', () => {
    const change = createChange(timesheet(), timesheet({ hoursToPay: 8 }));
    const { texts, types, row } = toEvents(change, createEventContext(TIMESHEETS, { isSilent: true }));
    expect([texts, types, row]).toEqual([[], [], { ...change.before, text: change.text }]);
  });
});

describe('the events of a record begin', () => {
  const SENT = { clockIn: 2 };
  const change = createChange(timesheet({ clockIn: clocking() }), timesheet(), {
    row: { epoch: EARLIER, sequence: 2, sent: SENT },
  });
  const same = { ...change, text: change.before?.text ?? null };
  const begin = (given: Change, restoredAt: number | null = null) => {
    const { texts, row } = toEvents(given, createEventContext(TIMESHEETS, { restoredAt }));
    const events = texts.map((text) => JSON.parse(text) as Event & { readonly epoch: string });
    return { row, events };
  };

  test('anew after a restore, with all of the state, and naming nothing of before', () => {
    const { events, row } = begin(change, EARLIER + 1);
    expect(events).toMatchObject([{ sequence: 1, epoch: toIso(NOW), data: { current: { details: [{}] } } }]);
    expect(events[0]?.data).not.toHaveProperty('reverses');
    expect(row).toMatchObject({ epoch: NOW, sequence: 1 });
  });

  test('where they were, when there is none, or the epoch began since the restore', () => {
    expect(begin(same, EARLIER + 1).row).toMatchObject({ epoch: EARLIER, sequence: 2, sent: SENT });
    expect(begin(change, EARLIER).row).toMatchObject({ epoch: EARLIER, sequence: 3 });
  });
});

describe('a clocking that is missing', () => {
  const SINCE = Date.parse('2026-03-05T00:15:00.000Z');
  const told = { row: { memory: { missing: { clockIn: SINCE } } } };

  test('is an event of its row, which says since when', () => {
    const { texts, row } = toEvents(
      createChange(timesheet(), timesheet(), { memory: { missing: { clockIn: SINCE } } }),
      createEventContext(),
    );
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      type: 'workforce.timesheet.clock_in_missing',
      data: {
        ...{ current: { clockIn: null, clockInMissing: toIso(SINCE) }, previous: { clockInMissing: null } },
        ...{ changed: ['clockInMissing'], occurredAt: toIso(SINCE), collapsed: false, late: [] },
      },
    });
    expect(row).toMatchObject({ sequence: 3, memory: { missing: { clockIn: SINCE } } });
  });

  test.each<[string, SourceRecord | null, string]>([
    ['the clocking', { clockIn: clocking() }, 'timesheet.clocked_in'],
    ['leave', { includesLeave: true }, 'timesheet.changed'],
    ['an approval', { approvedHours: STAMP }, 'timesheet.approved'],
    ['the removal of its timesheet', null, 'timesheet.removed'],
  ])('ends with the event of %s', (_, values, type) => {
    const change = createChange(timesheet(), values && timesheet(values), { ...told, memory: {} });
    const { texts, types, row } = toEvents(change, createEventContext());
    expect(types).toEqual([type]);
    const { data } = JSON.parse(texts[0] ?? '');
    expect(data.previous).toMatchObject({ clockInMissing: toIso(SINCE) });
    if (values !== null) expect(data.changed).toContain('clockInMissing');
    expect(row ?? {}).not.toHaveProperty('memory');
  });
});

describe('the id of an event', () => {
  test('is the same whoever finds the change, whenever', () => {
    expect(computeEventId(TIMESHEETS, '1001_7', position(3))).toBe('49f487b7511aa06e66eef2c5f0a82c64');
  });

  test('differs with connection, feed, record, epoch and sequence', () => {
    const ids = [
      computeEventId(TIMESHEETS, '1001_7', position(3)),
      computeEventId({ ...TIMESHEETS, connection: 'other' }, '1001_7', position(3)),
      computeEventId(PAY_PERIODS, '1001_7', position(3)),
      computeEventId(TIMESHEETS, '1001_8', position(3)),
      computeEventId(TIMESHEETS, '1001_7', position(4)),
      computeEventId(TIMESHEETS, '1001_7', { epoch: STAMP, sequence: 3 }),
      computeEventId(TIMESHEETS, '1001_', position(73)),
      computeEventId({ ...TIMESHEETS, connection: 'main","timesheets' }, '1001_7', position(3)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test.each<[string, SourceRecord, SourceRecord, string | null]>([
  ['an approval in UTC', {}, { approvedHours: '2026-03-05T00:30:00.000Z' }, '2026-03-05T00:30:00.000Z'],
  ['an approval on a day', {}, { approvedHours: '2026-03-05' }, '2026-03-05'],
  ['one that is taken back', { approvedHours: STAMP }, {}, null],
  ['a payroll approval, whose reference says nothing', {}, { approvedPayroll: STAMP }, null],
  ['processing', {}, { processed: '2026-03-05T13:30:00' }, '2026-03-05T00:30:00.000Z'],
  ['a clock-in in local time', {}, { clockIn: clocking() }, '2026-03-04T20:01:30.000Z'],
  ['a clock-in not recorded', {}, { clockIn: clocking({ localTime: null }) }, null],
  ['a correction', { clockIn: clocking() }, { clockIn: HALF_PAST }, '2026-03-04T19:30:00.000Z'],
  ['its removal', { clockIn: clocking() }, {}, null],
  ['another change', {}, { hoursToPay: 8 }, null],
])('%s has occurred at', (...[, before, after, expected]) => {
  const events = buildEvents(createChange(timesheet(before), timesheet(after)));
  expect(events.map(({ data }) => data.occurredAt)).toEqual([expected]);
});

describe('reverses', () => {
  test('is left out when we never sent one', () => {
    const [revoked] = buildEvents(createChange(timesheet({ approvedHours: STAMP }), timesheet()));
    expect(revoked?.data).not.toHaveProperty('reverses');
  });

  test('names the latest stamp of several, and none that was taken back already', () => {
    const [first, second] = [STAMP, '2026-03-05T00:45:00.000Z'].map((at) => timesheet({ approvedHours: at }));
    const events = history(timesheet(), first, second, timesheet(), first, timesheet());
    expect(events.map(({ data }) => data.reverses)).toEqual([
      undefined,
      undefined,
      computeEventId(TIMESHEETS, '1001_7', position(2)),
      undefined,
      computeEventId(TIMESHEETS, '1001_7', position(4)),
    ]);
  });
});
