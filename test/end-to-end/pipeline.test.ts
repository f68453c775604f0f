import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { make, startCompany, TODAY, WATCHED } from './company.ts';
import { takeMessages, type WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';

/** From the source to the queue of a subscriber, through everything that is deployed. */

let source: RunningSource;
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

  const timesheets = source.company.timesheets(WATCHED).length;
  const periods = source.company.payPeriods().length;
  expect(timesheets).toBeGreaterThan(100);
  expect(events.map(({ type, event }) => [type, event.data])).toEqual([
    ['baseline.completed', expect.objectContaining({ feed: 'timesheets', records: timesheets })],
    ['baseline.completed', expect.objectContaining({ feed: 'pay-periods', records: periods })],
  ]);
  expect(await stage.tell()).toEqual([]);
});

test('each change is one event of the next poll, with before and after, and nothing else is', async () => {
  const { id } = make(source, { change: 'create', date: TODAY });
  told.push(...(await stage.tell()));
  for (const change of ['clock-in', 'approve', 'revoke-approval'] as const) {
    make(source, { change, id });
    told.push(...(await stage.tell()));
  }
  const { hoursToPay } = make(source, { change: 'change', id, hours: 2 });
  told.push(...(await stage.tell()));
  make(source, { change: 'remove', id });
  told.push(...(await stage.tell()));

  expect(stepsOf(told)).toEqual([
    ['timesheet.created', id, 1],
    ['timesheet.clocked_in', id, 2],
    ['timesheet.approved', id, 3],
    ['timesheet.approval_revoked', id, 4],
    ['timesheet.changed', id, 5],
    ['timesheet.removed', id, 6],
  ]);
  const [created, , approved, revoked, changed, removed] = told.map(({ event }) => event);
  expect(created?.data).toMatchObject({ previous: null, current: { date: TODAY, approvedHours: null } });
  expect(approved?.data).toMatchObject({
    ...{ previous: { approvedHours: null }, changed: ['approvedHours'], late: [], collapsed: false },
    current: { approvedHours: approved?.data.occurredAt },
  });
  expect(revoked?.data).toMatchObject({ late: ['approval'], reverses: approved?.id });
  expect(changed?.data).toMatchObject({
    current: { hoursToPay },
    previous: { hoursToPay: expect.any(Number) },
  });
  expect(removed?.data).toMatchObject({ previous: { hoursToPay }, current: null });
});

test('what happened between two polls is told step by step, and what was undone meanwhile is not', async () => {
  const { id } = make(source, { change: 'create', date: TODAY });
  make(source, { change: 'approve', id });
  make(source, { change: 'clock-out', id });
  make(source, { change: 'clock-in', id });
  make(source, { change: 'remove', id: make(source, { change: 'create', date: TODAY }).id });

  const events = await stage.tell();

  told.push(...events);
  expect(stepsOf(events)).toEqual([
    ['timesheet.created', id, 1],
    ['timesheet.clocked_in', id, 2],
    ['timesheet.clocked_out', id, 3],
    ['timesheet.approved', id, 4],
  ]);
  expect(events.map(({ event }) => event.data.collapsed)).toEqual([true, true, true, true]);
});

test('the subscriber of the config receives what its filter passes, unchanged', async () => {
  const wanted = ['approved', 'approval_revoked', 'changed', 'removed'].map((each) => `timesheet.${each}`);
  const expected = told.filter(({ type }) => wanted.includes(type));

  const messages = await takeMessages(stage.aws.sqs, 'workforce-notifier-payroll');

  expect(messages.map(({ Body }) => Body)).toEqual(expected.map(({ text }) => text));
  expect(messages).toHaveLength(5);
  expect(messages.map(({ MessageAttributes }) => MessageAttributes?.type?.StringValue)).toEqual(
    expected.map(({ event }) => event.type),
  );
});

function stepsOf(events: readonly WireEvent[]) {
  return events.map(({ type, event }) => [type, event.subject, event.sequence]);
}
