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

const RESOURCES = {
  Topic: { Type: 'AWS::SNS::Topic' },
  Policy: { Type: 'AWS::SNS::TopicPolicy' },
  Schedule: { Type: 'AWS::Scheduler::Schedule', DependsOn: ['Policy'], Properties: { State: 'ENABLED' } },
  Role: { Type: 'AWS::IAM::Role', DependsOn: ['Policy', 'Topic'] },
};

test('what the emulator does not know is taken out, with what depends on it', () => {
  inFile(RESOURCES, (file) => {
    expect(Object.keys(adaptTemplate(file))).toEqual(['Policy', 'Schedule']);
    expect(readResources(file)).toEqual({
      Topic: RESOURCES.Topic,
      Role: { ...RESOURCES.Role, DependsOn: ['Topic'] },
    });
  });
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

function inFile(Resources: object, use: (file: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'adapted-'));
  try {
    const file = join(folder, 'template.json');
    writeFileSync(file, JSON.stringify({ Resources }));
    use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readResources(file: string): Resources {
  return (JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources }).Resources;
}
