import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_TYPES } from '#shared/core/event-types.ts';
import { PayrollStack } from '../../examples/subscribe-with-cdk/payroll-stack.ts';

const TYPES = [
  'workforce.timesheet.approved',
  'workforce.timesheet.approval_revoked',
  'workforce.timesheet.changed',
  'workforce.timesheet.removed',
];

describe('the example of a stack that subscribes a queue', () => {
  const template = Template.fromStack(new PayrollStack(new App(), 'Payroll'));

  it('subscribes its queue, raw, to approvals and what happens to them afterwards', () => {
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'sqs',
      RawMessageDelivery: true,
      TopicArn: { Ref: Match.stringLikeRegexp('workforcenotifiertopicstimesheetsarn') },
      FilterPolicy: { type: TYPES },
    });
  });

  it('filters on types that exist', () => {
    expect(PUBLISHED_TYPES).toEqual(expect.arrayContaining(TYPES));
  });
});
