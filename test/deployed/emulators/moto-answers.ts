import type { CorrectAnswer } from './emulator.ts';

const DELETED =
  '<DeleteChangeSetResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DeleteChangeSetResult/></DeleteChangeSetResponse>';

/**
 * What moto answers about a change set that is not there: a crash when it is to be deleted, and an error of another name
 * when it is described. The CDK CLI does both before each change of a stack.
 */
export const correctMotoAnswer: CorrectAnswer = (request, answer) => {
  const action = /(?:^|&)Action=(\w+)/.exec(request)?.[1];
  if (action === 'DeleteChangeSet' && answer.status === 500) {
    return { status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(DELETED) };
  }
  if (action !== 'DescribeChangeSet' || answer.status !== 400) return answer;
  const { 'content-length': _, ...headers } = answer.headers;
  const body = Buffer.from(answer.body.toString().replaceAll('ValidationError', 'ChangeSetNotFound'));
  return { status: 404, headers, body };
};
