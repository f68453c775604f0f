import { describe, expect, test } from 'vitest';
import type { Alert } from '#shared/people/alert.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { CollectStage, createMessage } from '#test/shared/people/flow/collect-stage.ts';
import { describableExample } from '#test/support/example-alert.ts';

/** Kitchen has 1 to approve, of the manager 2001_1; department 204 has 2, of 2002_1. */
const NAMES = {
  ...NO_NAMES,
  employees: new Map([
    ['2001_1', 'Ana Lee'],
    ['1014_1', 'Ben Fox'],
  ]),
  departments: new Map([
    ['202_1', 'Kitchen'],
    ['204_1', 'Bar'],
  ]),
  managers: new Map([
    ['202_1', '2001_1'],
    ['204_1', '2002_1'],
  ]),
};
describe('whoever manages a department', () => {
  test('is named beside it', async () => {
    const [alert] = await reminded();
    expect(departmentsOf(alert)).toEqual([
      'Kitchen (Ana Lee): 1 of 38 not approved, 8.5 h',
      'Bar (manager 2002_1): 2 of 30 not approved, 15 h',
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
    expect(alert?.summary?.departments).toEqual(['Bar (manager 2002_1) 2', 'Kitchen (Ana Lee) 1']);
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
  await stage.collect([createMessage(describableExample('pay_period.due', { data }))]);
  return await stage.waiting('payroll');
}

function departmentsOf(alert: Alert | undefined): string[] {
  return (alert?.details ?? []).flatMap(({ text, isInner }) => (isInner ? [] : [text]));
}
