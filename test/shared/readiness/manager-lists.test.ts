import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { Alert } from '#shared/alerts/alert.ts';
import { composeFor } from '#shared/alerts/compose-channel.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import type { Readiness } from '#shared/readiness/readiness-data.ts';
import { CollectStage, createMessage } from '#test/shared/alerts/flow/collect-stage.ts';

/** Kitchen has 3 to approve, of the manager 2001_1; department 502 has 1, of 2002_1. */
const NAMES = {
  ...NO_NAMES,
  employees: new Map([
    ['2001_1', 'Ana Lee'],
    ['2018_4711', 'Ben Fox'],
  ]),
  departments: new Map([
    ['501_4711', 'Kitchen'],
    ['502_4711', 'Bar'],
  ]),
  managers: new Map([
    ['501_4711', '2001_1'],
    ['502_4711', '2002_1'],
  ]),
};
const SAMPLE = JSON.parse(buildSampleEvent('pay_period.readiness')) as {
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly readiness: Readiness };
};

describe('whoever manages a department', () => {
  test('is named beside it', async () => {
    const [alert] = await reminded();
    expect(departmentsOf(alert)).toEqual([
      'Kitchen (Ana Lee): 3 of 212 not approved, 22 h',
      'Bar (manager 2002_1): 1 of 168 not approved, 7 h',
    ]);
  });

  test('is called by id in a channel without names of employees, and not at all without those of managers', async () => {
    const [withId] = await reminded({ names: ['departments', 'managers'] });
    expect(departmentsOf(withId)[0]).toMatch(/^Kitchen \(manager 2001_1\): /);
    const [without] = await reminded({ names: ['departments', 'employees'] });
    expect(departmentsOf(without)[0]).toMatch(/^Kitchen: /);
  });

  test('is named in a daily summary', async () => {
    const [alert] = await reminded(
      { dailySummary: { at: '08:00' } },
      { reminder: null, summaries: ['08:00'] },
    );
    expect(alert?.summary?.departments).toEqual(['Kitchen (Ana Lee) 3', 'Bar (manager 2002_1) 1']);
  });
});

describe('a manager with an address', () => {
  test('gets what waits in the own departments, and the channel still gets everything', async () => {
    const [channel, own, ...others] = await reminded({ managers: { '2001_1': 'U0123456789' } });
    expect(others).toEqual([]);
    expect(channel).toMatchObject({ line: expect.stringContaining('4 of 380 timesheets are not approved') });
    expect(channel).not.toHaveProperty('to');
    expect(own).toMatchObject({
      to: 'U0123456789',
      heading: 'Approve 3 of 212 timesheets by 12:00 (in 4 h): Weekly 9-15 Nov',
    });
    expect(own?.line).toContain(
      '3 of 212 timesheets of your departments are not approved, 22 h of 2 employees',
    );
    expect(own?.details?.map(({ text }) => text)).toEqual([
      'Kitchen: 3 of 212 not approved, 22 h',
      'Ben Fox: Fri 13 Nov 8 h, Sat 14 Nov 7.5 h (no clock-out)',
      'Employee 2024_4711: Sat 14 Nov 6.5 h',
    ]);
  });

  test('of several departments gets one list of all of them, as have two managers of one address', async () => {
    const managers = { '2001_1': 'U0123456789', '2002_1': 'U0123456789' };
    const [, own, ...others] = await reminded({ managers });
    expect(others).toEqual([]);
    expect(own?.line).toContain('4 of 380 timesheets of your departments');
  });

  test('gets nothing where nothing waits in the own departments', async () => {
    expect(await reminded({ managers: { '2009_1': 'U0123456789', toString: 'U0123456780' } })).toHaveLength(
      1,
    );
  });

  test('of departments of which not everything is listed is told no number of people that may be wrong', async () => {
    const readiness = { ...SAMPLE.data.readiness, waiting: SAMPLE.data.readiness.waiting.slice(0, 1) };
    const managers = { '2001_1': 'U0123456789', '2002_1': 'U0123456789' };
    const [, own] = await reminded({ managers }, { readiness });
    expect(own?.line).toMatch(/are not approved, 29 h[.;(]/);
  });

  test('is told once of an event that comes twice', async () => {
    const stage = createStage({ managers: { '2001_1': 'U0123456789' } });
    for (const event of [SAMPLE, SAMPLE]) await stage.collect([createMessage(event)]);
    expect((await stage.waiting('payroll')).filter(({ to }) => to !== undefined)).toHaveLength(1);
  });

  test('gets a message apart from that of the channel, in no thread', async () => {
    const alerts = await reminded({ managers: { '2001_1': 'U0123456789', '2002_1': 'U0223456789' } });
    const messages = composeFor({ channelId: 'C0123456789' }, alerts);
    expect(messages.map(({ message }) => message?.to)).toEqual([undefined, 'U0123456789', 'U0223456789']);
    expect(messages.map(({ message }) => message?.thread !== undefined)).toEqual([true, false, false]);
    expect(new Set(messages.flatMap(({ alertIds }) => alertIds)).size).toBe(3);
  });
});

function createStage(channel: object): CollectStage {
  const stage = new CollectStage({
    channels: [
      {
        ...{ kind: 'slack', name: 'payroll', secretName: 's', channelId: 'C0123456789' },
        ...{ names: ['employees', 'departments', 'managers'], ...channel },
      },
    ],
  });
  stage.names = NAMES;
  return stage;
}

/** What waits for the channel, and for managers, after a reminder. */
async function reminded(channel: object = {}, data: object = {}): Promise<readonly Alert[]> {
  const stage = createStage(channel);
  await stage.collect([createMessage({ ...SAMPLE, data: { ...SAMPLE.data, ...data } })]);
  return await stage.waiting('payroll');
}

function departmentsOf(alert: Alert | undefined): string[] {
  return (alert?.details ?? []).flatMap(({ text, isInner }) => (isInner ? [] : [text]));
}
