import { Stack, Validations } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import {
  AwsSolutionsChecks,
  HIPAASecurityChecks,
  NIST80053R4Checks,
  NIST80053R5Checks,
  PCIDSS321Checks,
  ServerlessChecks,
} from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { CONFIGS, synthesize } from './synthesized.ts';

const PACKS = [
  AwsSolutionsChecks,
  HIPAASecurityChecks,
  NIST80053R4Checks,
  NIST80053R5Checks,
  PCIDSS321Checks,
  ServerlessChecks,
];

describe.each(['everything', 'own-key'] as const)('the config %j', (name) => {
  const { stack } = synthesize(CONFIGS[name]);

  test.each(PACKS)('%o finds nothing that is not acknowledged', (Pack) => {
    expect(findingsOf(new Pack(stack), stack)).toEqual([]);
  });
});

test('AwsSolutions needs no acknowledgement but for network interfaces, and for dead letters before an existing queue', () => {
  const ids = ['everything', 'own-key'].flatMap((name) =>
    synthesize(CONFIGS[name as keyof typeof CONFIGS])
      .stack.node.findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.keys(data)),
  );
  expect(new Set(ids.filter((id) => id.includes('AwsSolutions')))).toEqual(
    new Set(['Annotation::AwsSolutions-IAM5[Resource::*]', 'Annotation::AwsSolutions-SQS3']),
  );
});

test('the packs report a table without backups', () => {
  const stack = new Stack();
  new Table(stack, 'Bare', { partitionKey: { name: 'pk', type: 'S' as never } });
  expect(findingsOf(new AwsSolutionsChecks(stack), stack)).toEqual([
    'AwsSolutions-DDB3 Default/Bare/Resource',
  ]);
});

function findingsOf(pack: Pick<AwsSolutionsChecks, 'validateScope'>, stack: Stack): string[] {
  return pack
    .validateScope(stack)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
}
