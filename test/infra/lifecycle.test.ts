import { expect, test } from 'vitest';
import { CONFIGS, type Resource, synthesize } from './synthesized.ts';

const built = synthesize(CONFIGS['own-key']);

test('a stack that was destroyed, or whose first deployment was rolled back, can be deployed again: nothing that is retained has a fixed name', () => {
  const retained = built.resources.filter(isRetained);
  // The rule sees names: these have them, and go with the stack.
  expect(listNames(built.at('Encryption/Key/Alias'))).not.toEqual([]);
  expect(retained.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['AWS::DynamoDB::Table', 'AWS::KMS::Key']),
  );
  expect(retained.flatMap(listNames)).toEqual([]);
});

test('logs outlive the stack as the table does', () => {
  const { deletionPolicy, updateReplacePolicy } = built.at('State/Table');
  expect(deletionPolicy).toBe('Retain');
  for (const log of built.ofType('AWS::Logs::LogGroup'))
    expect(log).toMatchObject({ deletionPolicy, updateReplacePolicy });
});

test('each schedule is created after its group, and deleted before it', () => {
  for (const { path, dependsOn } of built.ofType('AWS::Scheduler::Schedule'))
    expect(dependsOn).toContain(`${path.slice(0, path.lastIndexOf('/'))}/Group`);
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
