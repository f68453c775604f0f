import { expect, test } from 'vitest';
import { auditUses, checkAudit, renderUses } from '#workshop/deployed/permissions/audit.ts';
import type { Evidence } from '#workshop/deployed/permissions/judge.ts';
import type { Statement } from '#workshop/deployed/permissions/policy.ts';

const STACKS = ['stack'];

function grant(name: string, ...actions: string[]): Statement {
  return { name, effect: 'Allow', actions, resources: ['*'], principals: null, conditions: {} };
}

const PUBLISH = grant('PublishEvents', 'sns:Publish');
const LOGS = grant('logs:PutLogEvents', 'logs:PutLogEvents');
const caller = { functionName: 'stack-webhook-archive', roleArn: 'role' };
const permission = { action: 'sns:Publish', resource: 'topic', context: {} };

function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    grants: [{ caller, statements: [PUBLISH, LOGS] }],
    verdicts: [{ caller, permission, by: [PUBLISH], because: '' }],
    ...changes,
  };
}

const check = (seen: Evidence) => checkAudit(auditUses(seen, STACKS), seen);

test('what is granted and used, or used by AWS, passes', () => {
  expect(check(evidence())).toBe('2 actions granted, 1 of them seen, the others explained');
  expect(renderUses(auditUses(evidence(), STACKS))).toContain(
    '| `deliver-webhook` | `PublishEvents`: sns:Publish | by the CDK: logs:PutLogEvents |',
  );
});

test('what is granted and never used fails', () => {
  expect(() => check(evidence({ verdicts: [] }))).toThrow(
    'deliver-webhook may sns:Publish by PublishEvents and never does',
  );
});

test('what is denied is not granted', () => {
  const denied: Statement = { ...grant('Denied', 'ec2:DetachNetworkInterface'), effect: 'Deny' };
  expect(
    auditUses(evidence({ grants: [{ caller, statements: [PUBLISH, LOGS, denied] }] }), STACKS),
  ).toHaveLength(2);
});

test('what is used under another statement is not used', () => {
  const by = [grant('Other', 'sns:Publish')];
  expect(() => check(evidence({ verdicts: [{ caller, permission, by, because: '' }] }))).toThrow(
    'never does',
  );
});

test('a refused request fails, unless it had to be refused', () => {
  const refused = { caller, permission, by: null, because: 'no statement allows it' };
  const seen = evidence();
  expect(() => check({ ...seen, verdicts: [...seen.verdicts, refused] })).toThrow('was refused sns:Publish');
  const intruder = { ...refused, caller: { ...caller, intrudes: true } };
  expect(check({ ...seen, verdicts: [...seen.verdicts, intruder] })).toContain('2 actions granted');
});
