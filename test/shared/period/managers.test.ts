import { describe, expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import type { Readiness } from '#shared/core/periods/readiness-data.ts';
import type { Alert } from '#shared/people/alert.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { CollectStage, createMessage } from '#test/shared/people/flow/collect-stage.ts';

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
const SAMPLE = exampleEvent('workforce.pay_period.readiness') as {
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

  test('is called by id without names of employees, and not at all without those of managers', async () => {
    const [withId] = await reminded({}, {}, ['departments', 'managers']);
    expect(departmentsOf(withId)[0]).toMatch(/^Kitchen \(manager 2001_1\): /);
    const [without] = await reminded({}, {}, ['departments', 'employees']);
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

function createStage(channel: object, names: readonly string[]): CollectStage {
  const stage = new CollectStage({
    names,
    channels: [{ kind: 'slack', name: 'payroll', secretName: 's', channelId: 'C0123456789', ...channel }],
  });
  stage.names = NAMES;
  return stage;
}

/** What waits for the channel, and for managers, after a reminder. */
async function reminded(
  channel: object = {},
  data: object = {},
  names = ['employees', 'departments', 'managers'],
): Promise<readonly Alert[]> {
  const stage = createStage(channel, names);
  await stage.collect([createMessage({ ...SAMPLE, data: { ...SAMPLE.data, ...data } })]);
  return await stage.waiting('payroll');
}

function departmentsOf(alert: Alert | undefined): string[] {
  return (alert?.details ?? []).flatMap(({ text, isInner }) => (isInner ? [] : [text]));
}
