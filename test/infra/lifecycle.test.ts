import { beforeAll, describe, expect, test } from 'vitest';
import { EVERYTHING, type Resource, type Synthesized, synthesize } from './synthesized.ts';

let built: Synthesized;

beforeAll(() => {
  built = synthesize({ ...EVERYTHING, encryption: 'customer-managed' });
});

describe('a stack that was destroyed, or whose first deployment was rolled back, can be deployed again', () => {
  test('since nothing that is retained has a fixed name', () => {
    const retained = built.resources.filter(isRetained);
    const logs = built.ofType('AWS::Logs::LogGroup').map(({ path }) => path);
    expect(logs.length).toBeGreaterThan(5);
    expect(retained.map(({ path }) => path).sort()).toEqual(
      ['Encryption/Key', 'State/Table', ...logs].sort(),
    );
    expect(retained.flatMap(listNames)).toEqual([]);
  });

  test('and the rule sees names', () => {
    const types = new Set(
      built.resources.filter((each) => listNames(each).length > 0).map(({ type }) => type),
    );
    expect([...types].sort()).toEqual([
      'AWS::CloudWatch::Alarm',
      'AWS::KMS::Alias',
      'AWS::Lambda::Function',
      'AWS::SNS::Topic',
      'AWS::SQS::Queue',
      'AWS::SSM::Parameter',
      'AWS::Scheduler::ScheduleGroup',
    ]);
  });
});

test('logs outlive the stack as the table does', () => {
  const { deletionPolicy, updateReplacePolicy } = built.at('State/Table');
  for (const log of built.ofType('AWS::Logs::LogGroup'))
    expect(log).toMatchObject({ deletionPolicy, updateReplacePolicy });
  expect(deletionPolicy).toBe('Retain');
});

test('each schedule is created after its group, and deleted before it', () => {
  const schedules = built.ofType('AWS::Scheduler::Schedule');
  expect(schedules.length).toBeGreaterThanOrEqual(3);
  for (const { path, dependsOn, properties } of schedules) {
    const group = `${path.slice(0, path.lastIndexOf('/'))}/Group`;
    expect(dependsOn).toContain(group);
    expect(properties.GroupName).toBe(built.at(group).properties.Name);
  }
});

function isRetained({ deletionPolicy, updateReplacePolicy }: Resource): boolean {
  return [deletionPolicy, updateReplacePolicy].some((policy) => policy !== undefined && policy !== 'Delete');
}

/** Texts that the template gives as the name of the resource itself. References are names that AWS makes. */
function listNames({ type, properties }: Resource): string[] {
  const [, , kind] = type.split('::');
  return ['Name', `${kind}Name`].flatMap((key) => {
    const name = properties[key];
    return typeof name === 'string' && !/^<.*>$/.test(name) ? [name] : [];
  });
}
