import { createHash } from 'node:crypto';
import type { Answer } from '../emulators/emulator.ts';
import type { WireRequest } from './request.ts';

/** Passes a request on, unless it is a transaction that succeeded before: then its answer is that of the first time. */
export type PassOnce = (
  wire: WireRequest | null,
  body: Buffer,
  pass: () => Promise<Answer>,
) => Promise<Answer>;

const TRANSACTION = 'TransactWriteItems';
const OK = 200;

/**
 * In place of an emulator that forgets the token of a transaction. A client that waited in vain for the answer sends the
 * same again: DynamoDB then does nothing, and says that it is done.
 */
export function createPassOnce(): PassOnce {
  const done = new Map<string, Answer>();
  return async (wire, body, pass) => {
    const { operation, parameters } = wire ?? {};
    if (operation !== TRANSACTION || parameters?.ClientRequestToken === undefined) return await pass();
    const digest = createHash('sha1').update(body).digest('hex');
    const known = done.get(digest);
    if (known !== undefined) return known;
    const answer = await pass();
    if (answer.status === OK) done.set(digest, answer);
    return answer;
  };
}
