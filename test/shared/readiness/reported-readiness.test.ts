import { expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { ChannelMessage } from '#shared/alerts/alert.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import type { Readiness } from '#shared/readiness/readiness-data.ts';
import { CollectStage, createMessage } from '#test/shared/alerts/flow/collect-stage.ts';

const TYPE = 'workforce.pay_period.readiness';
const SAMPLE = JSON.parse(buildSampleEvent('pay_period.readiness'));
const [first] = SAMPLE.data.readiness.waiting as Readiness['waiting'];
const BEFORE = '2026-11-14T20:00:00.000Z';

test('a reminder says what changed since the channel was told before, and names people who still wait', async () => {
  const stage = openStage();
  await stage.collect([createMessage(reminder({ id: 'before', time: BEFORE }))]);
  // Somebody of Kitchen was approved; the other department is as it was.
  const { waiting, byDepartment } = SAMPLE.data.readiness as Readiness;
  const readiness = {
    unapproved: 3,
    waiting: waiting.filter(({ timesheetId }) => timesheetId !== first?.timesheetId),
    byDepartment: byDepartment.map((each) =>
      each.departmentId === first?.departmentId ? { ...each, unapproved: each.unapproved - 1 } : each,
    ),
  };
  await stage.collect([createMessage(reminder({ id: 'now' }, readiness))]);

  const alerts = await stage.waiting('payroll');
  const alert = alerts.find(({ id }) => id === 'now');
  expect(alert?.facts).toMatch(/^29 h of 3 employees; it was 4 on Sun 15 Nov at 09:00/);
  const departments = alert?.details?.filter(({ isInner }) => !isInner).map(({ text }) => text);
  expect(departments).toEqual([
    'Department 501_4711: 2 of 212 not approved, 22 h',
    'Department 502_4711: 1 of 168 not approved, 7 h, unchanged (Employee 2031_4711)',
  ]);
});

test('a reminder of what waits since the one before says since when, once, and not against itself', async () => {
  const stage = openStage();
  await stage.collect([createMessage(reminder({ id: 'before', time: BEFORE }))]);
  const again = createMessage(reminder({ id: 'now' }));
  await stage.collect([again]);
  await stage.collect([again]);
  const now = (await stage.waiting('payroll')).filter(({ id }) => id === 'now');
  expect(now.map(({ facts }) => facts)).toEqual([
    expect.stringMatching(/^29 h of 3 employees; unchanged since Sun 15 Nov 09:00/),
  ]);
});

test('the first reminder, and one of another channel, is compared with nothing', async () => {
  const stage = openStage();
  await stage.collect([createMessage(reminder({ id: 'before', time: BEFORE }))]);
  for (const { facts } of await stage.waiting('payroll')) expect(facts).not.toMatch(/unchanged|it was/);
});

test('a daily summary has at most 60 words, says the day before, and counts what it has no room for', async () => {
  const calendars = ['Weekly', 'Fortnightly', 'Monthly', 'Casual'];
  const stage = openStage();
  for (const calendar of calendars) {
    await stage.collect([createMessage(summary({ calendar, day: 14, unapproved: 7 }))]);
    await stage.collect([createMessage(summary({ calendar, day: 15, unapproved: 4 }))]);
  }
  const today = (await stage.waiting('payroll')).filter(({ id }) => id.endsWith('15'));
  const message = composeMessages(today)[0]?.message;

  expect(message).toMatchObject({
    heading: 'Approve 4 of 380 timesheets by 12:00 (in 5 h): Casual 9-15 Nov, 3 more',
    facts: '29 h (7 yesterday): Department 501_4711 3, Department 502_4711 1',
    lines: [
      'Fortnightly 9-15 Nov, by 12:00: 4 of 380 to approve, 29 h (7 yesterday)',
      'Monthly 9-15 Nov, by 12:00: 4 of 380 to approve, 29 h (7 yesterday)',
    ],
    more: 1,
  });
  expect(countWords(message)).toBeLessThanOrEqual(60);
  expect(JSON.stringify(message)).not.toContain('employee');
});

test('a daily summary of one period is its heading and its numbers by department', async () => {
  const stage = openStage();
  await stage.collect([createMessage(summary({ calendar: 'Weekly', day: 15, unapproved: 4 }))]);
  expect(composeMessages(await stage.waiting('payroll'))[0]?.message).toMatchObject({
    heading: 'Approve 4 of 380 timesheets by 12:00 (in 5 h): Weekly 9-15 Nov',
    facts: '29 h: Department 501_4711 3, Department 502_4711 1',
    lines: [],
  });
});

function openStage(): CollectStage {
  const payroll = { kind: 'slack', name: 'payroll', secretName: 's', dailySummary: { at: '08:00' } } as const;
  return new CollectStage({ channels: [payroll], rules: [{ types: [TYPE] }] });
}

function reminder(
  { id, time = SAMPLE.time }: { readonly id: string; readonly time?: string },
  readiness: Partial<Readiness> = {},
) {
  const data = { ...SAMPLE.data, readiness: { ...SAMPLE.data.readiness, ...readiness } };
  return { ...SAMPLE, connection: 'main', id, time, data };
}

function summary({
  calendar,
  day,
  unapproved,
}: {
  readonly calendar: string;
  readonly day: number;
  readonly unapproved: number;
}) {
  const told = reminder(
    { id: `${calendar}-${day}`, time: `2026-11-${day}T18:00:00.000Z` },
    { unapproved, timesheets: 380 },
  );
  const { data } = told;
  const current = { ...data.current, calendar };
  const moment = { reminder: null, summaries: ['08:00'], payPeriodId: calendar };
  return { ...told, subject: calendar, data: { ...data, ...moment, current } };
}

function countWords(message: ChannelMessage | null | undefined): number {
  const { heading = '', facts = '', lines = [] } = message ?? {};
  return [heading, facts, ...lines].join(' ').split(/\s+/).length;
}
