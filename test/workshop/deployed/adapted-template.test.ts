import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  adaptTemplate,
  findRetained,
  keepResources,
  type Resources,
} from '#workshop/deployed/adapted-template.ts';
import { createFakecloud } from '#workshop/deployed/emulators/fakecloud.ts';
import { createMoto } from '#workshop/deployed/emulators/moto.ts';

const ROLE_ARN = { 'Fn::GetAtt': ['Role', 'Arn'] };
const RESOURCES = {
  Topic: { Type: 'AWS::SNS::Topic' },
  Policy: {
    Type: 'AWS::SNS::TopicPolicy',
    Properties: {
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Deny',
            Action: 'sns:Publish',
            Condition: { ArnNotEquals: { 'aws:PrincipalArn': [ROLE_ARN] } },
          },
        ],
      },
    },
  },
  Schedule: { Type: 'AWS::Scheduler::Schedule', DependsOn: ['Policy'], Properties: { State: 'ENABLED' } },
  Role: { Type: 'AWS::IAM::Role', DependsOn: ['Policy', 'Topic'] },
};

test('for moto, what it does not know is taken out, with what depends on it', () => {
  const { left, removed } = adapt(createMoto());
  expect(left).toEqual({ Topic: RESOURCES.Topic, Role: { ...RESOURCES.Role, DependsOn: ['Topic'] } });
  expect(Object.keys(removed)).toEqual(['Policy', 'Schedule']);
});

test('for fakecloud, statements get what only it asks for, and schedules a name', () => {
  const { left, removed } = adapt(createFakecloud());
  expect(removed).toEqual({});
  expect(left.Schedule?.Properties).toEqual({ Name: 'Schedule', State: 'ENABLED' });
  const session = {
    'Fn::Join': [
      '',
      [
        'arn:aws:sts::123456789012:assumed-role/',
        { 'Fn::Select': [1, { 'Fn::Split': ['/', ROLE_ARN] }] },
        '/function',
      ],
    ],
  };
  const statement = {
    Effect: 'Deny',
    Action: ['sns:Publish', 'sns:PublishBatch'],
    Condition: { ArnNotEquals: { 'aws:PrincipalArn': [ROLE_ARN, session] } },
  };
  expect(left.Policy?.Properties).toEqual({ PolicyDocument: { Statement: [statement] } });
});

test('what is retained stays in a template that does not name it any more', () => {
  const before = {
    Table: { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Retain' },
    Key: { Type: 'AWS::KMS::Key', DeletionPolicy: 'Retain', Properties: { Enabled: true } },
    Topic: RESOURCES.Topic,
  };
  const after = { Key: { Type: 'AWS::KMS::Key', DeletionPolicy: 'Retain', Properties: { Enabled: false } } };
  inFile(after, (file) => {
    keepResources(file, findRetained(before));
    expect(readResources(file)).toEqual({ Table: before.Table, Key: after.Key });
  });
});

function adapt(emulator: Parameters<typeof adaptTemplate>[1]) {
  return inFile(RESOURCES, (file) => {
    const removed = adaptTemplate(file, emulator);
    return { left: readResources(file), removed };
  });
}

function inFile<T>(Resources: object, use: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'adapted-'));
  try {
    const file = join(folder, 'template.json');
    writeFileSync(file, JSON.stringify({ Resources }));
    return use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readResources(file: string): Resources {
  return (JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources }).Resources;
}
