import { createHash } from 'node:crypto';
import type { Answer, CorrectAnswer } from './emulator.ts';

const DELETED =
  '<DeleteChangeSetResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DeleteChangeSetResult/></DeleteChangeSetResponse>';

/** The beginning of an answer to `DescribeTable`. */
const DESCRIBED_TABLE = /^\{\s*"Table"\s*:\s*\{/;
const DESCRIBED_BYTES = 32;

/**
 * Puts right what moto answers about a change set that is not there: a crash when it is to be deleted, and an error of
 * another name when it is described. The CDK CLI does both before each change of a stack. And it gives each table the id
 * that moto leaves out.
 */
export const correctMotoAnswer: CorrectAnswer = (request, answer) => {
  if (answer.status === 200 && DESCRIBED_TABLE.test(answer.body.toString('utf8', 0, DESCRIBED_BYTES))) {
    return addTableId(answer);
  }
  const action = /(?:^|&)Action=(\w+)/.exec(request)?.[1];
  if (action === 'DeleteChangeSet' && answer.status === 500) {
    return { status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(DELETED) };
  }
  if (action !== 'DescribeChangeSet' || answer.status !== 400) return answer;
  const { 'content-length': _, ...headers } = answer.headers;
  const body = Buffer.from(answer.body.toString().replaceAll('ValidationError', 'ChangeSetNotFound'));
  return { status: 404, headers, body };
};

/** A table that is made anew, or restored, is another one. */
function addTableId({ status, headers, body }: Answer): Answer {
  const { 'content-length': _, ...kept } = headers;
  const answered = JSON.parse(body.toString()) as { Table: { TableArn: string; CreationDateTime: number } };
  const { Table } = answered;
  const hash = createHash('sha256').update(`${Table.TableArn} ${Table.CreationDateTime}`).digest('hex');
  const TableId = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
  return { status, headers: kept, body: Buffer.from(JSON.stringify({ Table: { ...Table, TableId } })) };
}
