import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adaptTemplate } from '#workshop/deployed/adapted-template.ts';

test('what the emulator does not know is taken out, and what refers to it goes without', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'adapted-')), 'template.json');
  const Topic = { Type: 'AWS::SNS::Topic' };
  const Resources = {
    Topic,
    Policy: { Type: 'AWS::SNS::TopicPolicy' },
    Group: { Type: 'AWS::Scheduler::ScheduleGroup', DependsOn: ['Policy'] },
    Role: {
      Type: 'AWS::IAM::Role',
      DependsOn: ['Policy', 'Topic'],
      Properties: { Group: { 'Fn::GetAtt': ['Group', 'Arn'] }, Topic: { Ref: 'Topic' } },
    },
    Queue: { Type: 'AWS::SQS::Queue', DependsOn: 'Policy' },
  };
  writeFileSync(file, JSON.stringify({ Parameters: {}, Rules: {}, Resources }));
  expect(adaptTemplate(file)).toEqual(['Topic', 'Role', 'Queue']);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    Resources: {
      Topic,
      Role: {
        Type: 'AWS::IAM::Role',
        DependsOn: ['Topic'],
        Properties: { Group: 'Group', Topic: { Ref: 'Topic' } },
      },
      Queue: { Type: 'AWS::SQS::Queue' },
    },
  });
});
