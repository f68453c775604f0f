import { expect, test } from 'vitest';
import type { Statement } from '#workshop/deployed/permissions.ts';
import { checkUsed } from '#workshop/deployed/used-permissions.ts';

const NAME = 'stack-webhook-archive';
const PUBLISH = grant('TellPeople', 'sns:Publish');

const check = (statements: readonly Statement[], used: readonly string[], refused: readonly string[] = []) =>
  checkUsed({ used: new Map([[NAME, new Set(used)]]), refused }, new Map([[NAME, statements]]), 'stack');

test('what is granted and used passes, as does what AWS uses', () => {
  const statements = [
    PUBLISH,
    grant('ReceiveMessages', 'sqs:ReceiveMessage'),
    grant(undefined, 'logs:PutLogEvents'),
  ];
  expect(check(statements, ['TellPeople sns:Publish'])).toBe(
    '1 actions granted to code, 1 of them used, none refused',
  );
});

test('what is granted and never used fails, also when it is used under another statement', () => {
  expect(() => check([PUBLISH], [])).toThrow(`${NAME} may sns:Publish by TellPeople and never does`);
  expect(() => check([PUBLISH], ['Other sns:Publish'])).toThrow('never does');
});

test('what is rarely used passes, of that kind of function alone', () => {
  const rare = grant('Note', 'dynamodb:DeleteItem');
  expect(check([rare], [])).toContain('0 of them used');
  expect(() => check([grant('Note', 'dynamodb:GetItem')], [])).toThrow('never does');
});

test('a refused request fails', () => {
  expect(() => check([], [], [`${NAME} may not sns:Publish on topic`])).toThrow('may not sns:Publish');
});

function grant(sid: string | undefined, ...actions: string[]): Statement {
  return { ...(sid === undefined ? {} : { Sid: sid }), Effect: 'Allow', Action: actions, Resource: '*' };
}
