import { describe, expect, test } from 'vitest';
import notifierConfig from '#config';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findUnheardFollowUps } from '#shared/config/schema/unheard-follow-ups.ts';
import { senderConfig as queueConfig } from '../../../../examples/sqs-lambda/sender-config.ts';
import { senderConfig as webhookConfig } from '../../../../examples/webhook-receiver/sender-config.ts';

type Filter = NonNullable<NonNullable<NotifierConfigInput['queues']>[number]['filter']>;

const APPROVED = 'workforce.timesheet.approved';
const AFTER_APPROVAL = [
  'workforce.timesheet.approval_revoked',
  'workforce.timesheet.changed',
  'workforce.timesheet.removed',
] as const;

describe('a filter that passes approvals', () => {
  test('is found when it leaves out that hours change afterwards', () => {
    expect(find({ type: [APPROVED, 'workforce.timesheet.approval_revoked'] })).toEqual([
      {
        path: 'queues[0].filter.type',
        says: 'hears workforce.timesheet.approved, but not everything that happens to it afterwards',
        mend: 'add workforce.timesheet.changed, workforce.timesheet.removed',
      },
    ]);
  });

  test.each([
    ['workforce.timesheet.payroll_approved', 'workforce.timesheet.payroll_approval_revoked'],
    ['workforce.timesheet.processed', 'workforce.timesheet.processing_reverted'],
  ] as const)('of another kind is found too: %s', (type, reversal) => {
    const [found] = find({ type: [type, 'workforce.timesheet.changed'] });
    expect(found?.mend).toBe(`add ${reversal}, workforce.timesheet.removed`);
  });

  test('is found when it leaves out what is late, with or without types', () => {
    const late = ['queues[0].filter.late'];
    expect(find({ late: false }).map(({ path }) => path)).toEqual(late);
    expect(find({ late: false, type: [APPROVED, ...AFTER_APPROVAL] }).map(({ path }) => path)).toEqual(late);
  });

  test.each<Filter>([
    {},
    { late: true },
    { departmentId: ['501_7'] },
    { type: [APPROVED, ...AFTER_APPROVAL] },
    { type: ['workforce.timesheet.created'], late: false },
    { type: ['workforce.pay_period.closed', 'workforce.pay_period.reopened'] },
  ])('or passes what follows is not: %j', (filter) => {
    expect(find(filter)).toEqual([]);
  });
});

test('a closing without its reopening is found, of a webhook by its place', () => {
  const webhook = {
    name: 'b',
    url: 'https://pay.acme.com/',
    secretName: 'b',
    topics: ['pay-periods' as const],
  };
  const webhooks = [
    { ...webhook, name: 'a' },
    { ...webhook, filter: { type: ['workforce.pay_period.closed' as const] } },
  ];
  const [found, ...others] = findUnheardFollowUps(parseNotifierConfig({ ...queueConfig, webhooks }));
  expect(others).toEqual([]);
  expect([found?.path, found?.mend]).toEqual([
    'webhooks[1].filter.type',
    'add workforce.pay_period.reopened',
  ]);
});

test.each([
  ['this repository', notifierConfig],
  ['the queue of the examples', queueConfig],
  ['the webhook of the examples', webhookConfig],
])('the config of %s leaves nothing out', (_, config) => {
  const parsed = parseNotifierConfig(config);
  expect(parsed.queues.length + parsed.webhooks.length).toBeGreaterThan(0);
  expect(findUnheardFollowUps(parsed)).toEqual([]);
});

function find(filter: Filter) {
  const queues = [{ name: 'payroll', topics: ['timesheets' as const, 'pay-periods' as const], filter }];
  const connections = queueConfig.connections;
  return findUnheardFollowUps(parseNotifierConfig({ connections, queues }));
}
