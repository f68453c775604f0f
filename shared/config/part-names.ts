import { createHash } from 'node:crypto';

/** A name of a stack with which the names of all parts can begin as it is. */
const PLAIN = /^[a-z][a-z0-9-]{0,30}$/;
/** SSM keeps parameters below `/aws...` and `/ssm...` for itself. */
const RESERVED = /^(?:aws|ssm)/;
const DIGEST_CHARACTERS = 6;
const MAX_CHARACTERS = 31;

/**
 * What the names of topics, queues, functions, alarms and parameters of a stack begin with: its name, and where that has
 * capitals, is long or is reserved, a part of it in small letters with a digest.
 */
export function toPartsPrefix(stackName: string): string {
  if (PLAIN.test(stackName) && !RESERVED.test(stackName)) return stackName;
  const digest = createHash('sha256').update(stackName).digest('hex').slice(0, DIGEST_CHARACTERS);
  const small = stackName.toLowerCase().replace(RESERVED, 'n-$&');
  const room = MAX_CHARACTERS - DIGEST_CHARACTERS - 1;
  return `${small.slice(0, room).replace(/-+$/, '')}-${digest}`;
}
