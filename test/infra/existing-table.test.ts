import { expect, test } from 'vitest';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { EVERYTHING, environmentOf, synthesize } from './synthesized.ts';

const NAME = 'workforce-notifier-restored';

test('a stack that continues with an existing table makes none, and every function uses that one', () => {
  const template = synthesize({ ...EVERYTHING, existingTable: NAME });
  expect(template.ofType('AWS::DynamoDB::Table')).toEqual([]);
  const functions = template.ofType('AWS::Lambda::Function');
  expect(functions.length).toBeGreaterThan(5);
  expect(new Set(functions.map((each) => environmentOf(each)[ENVIRONMENT.tableName]))).toEqual(
    new Set([NAME]),
  );
  const parameters = template.ofType('AWS::SSM::Parameter').map(({ properties }) => properties);
  expect(parameters).toContainEqual(
    expect.objectContaining({ Name: expect.stringMatching(/\/table\/name$/), Value: NAME }),
  );
});

test('its functions may use that table, and no other', () => {
  const policies = JSON.stringify(
    synthesize({ ...EVERYTHING, existingTable: NAME }).ofType('AWS::IAM::Role'),
  );
  expect(policies).toContain(`:table/${NAME}`);
  expect(policies).not.toContain('StateTable');
});
