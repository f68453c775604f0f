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
import { beforeAll, describe, expect, test } from 'vitest';
import type { NotifierStack } from '#infra/notifier-stack.ts';
import { buildStack, EVERYTHING } from './synthesized.ts';

const PACKS = [
  AwsSolutionsChecks,
  HIPAASecurityChecks,
  NIST80053R4Checks,
  NIST80053R5Checks,
  PCIDSS321Checks,
  ServerlessChecks,
];

describe.each(['aws-managed', 'customer-managed'] as const)('with %s encryption', (encryption) => {
  let stack: NotifierStack;
  beforeAll(() => {
    const network = { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0e3f4a5b'] };
    stack = buildStack({ ...EVERYTHING, encryption, network });
  });

  test.each(PACKS)('%o finds nothing that is not acknowledged', (Pack) => {
    expect(findingsOf(new Pack(stack), stack)).toEqual([]);
  });
});

test('AwsSolutions needs no acknowledgement', () => {
  const stack = buildStack(EVERYTHING);
  const ids = stack.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .map(({ data }) => JSON.stringify(data));
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.filter((id) => id.includes('AwsSolutions'))).toEqual([]);
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
