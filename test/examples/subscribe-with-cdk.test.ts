import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { eventSchema } from '#shared/core/events/event-schemas.ts';
import { PayrollStack } from '../../examples/subscribe-with-cdk/payroll-stack.ts';

describe('the example of a stack that subscribes a queue', () => {
  const template = Template.fromStack(new PayrollStack(new App(), 'Payroll'));

  it('subscribes its queue, raw, to approvals and their revocations only', () => {
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'sqs',
      RawMessageDelivery: true,
      TopicArn: { Ref: Match.stringLikeRegexp('workforcenotifiertopicstimesheetsarn') },
      FilterPolicy: { type: ['workforce.timesheet.approved', 'workforce.timesheet.approval_revoked'] },
    });
  });

  it('filters on types that exist', () => {
    const [{ Properties }] = Object.values(template.findResources('AWS::SNS::Subscription')) as [
      { Properties: { FilterPolicy: { type: string[] } } },
    ];
    const known = ['timesheet.approved', 'timesheet.approval_revoked'] as const;
    expect(Properties.FilterPolicy.type).toEqual(known.map((type) => eventSchema(type).shape.type.value));
  });
});
