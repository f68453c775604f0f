import { expect, test } from 'vitest';
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

test('a filter that passes approvals and not what happens to them is found, with what to add', () => {
  expect(find({ type: [APPROVED, 'workforce.timesheet.approval_revoked'] })).toEqual([
    {
      path: 'queues[0].filter.type',
      says: 'hears workforce.timesheet.approved, but not everything that happens to it afterwards',
      mend: 'add workforce.timesheet.changed, workforce.timesheet.removed',
    },
  ]);
});

test.each<[Filter, string[]]>([
  [
    { type: ['workforce.timesheet.payroll_approved', 'workforce.timesheet.changed'] },
    ['type: add workforce.timesheet.payroll_approval_revoked, workforce.timesheet.removed'],
  ],
  [
    { type: ['workforce.timesheet.processed', 'workforce.timesheet.changed'] },
    ['type: add workforce.timesheet.processing_reverted, workforce.timesheet.removed'],
  ],
  [{ type: ['workforce.pay_period.closed'] }, ['type: add workforce.pay_period.reopened']],
  [{ type: ['workforce.pay_period.closed', 'workforce.pay_period.reopened'] }, []],
  [{ type: [APPROVED, ...AFTER_APPROVAL] }, []],
  [{ type: ['workforce.timesheet.created'], late: false }, []],
  [{}, []],
  [{ late: true }, []],
  [{ departmentId: ['501_7'] }, []],
])('%j leaves out %j', (filter, expected) => {
  const found = find(filter).map(({ path, mend }) => `${path.replace('queues[0].filter.', '')}: ${mend}`);
  expect(found).toEqual(expected);
});

test.each<Filter>([{ late: false }, { late: false, type: [APPROVED, ...AFTER_APPROVAL] }])(
  '%j leaves out what is late',
  (filter) => {
    expect(find(filter).map(({ path }) => path)).toEqual(['queues[0].filter.late']);
  },
);

test('what a webhook does not hear is found by its place', () => {
  const [one] = webhookConfig.webhooks ?? [];
  const type = 'workforce.pay_period.closed' as const;
  const other = { ...one, name: 'b', topics: ['pay-periods' as const], filter: { type: [type] } };
  const webhooks = [one, other] as NonNullable<NotifierConfigInput['webhooks']>;
  const found = findUnheardFollowUps(parseNotifierConfig({ ...webhookConfig, webhooks }));
  expect(found.map(({ path }) => path)).toEqual(['webhooks[1].filter.type']);
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
