import { createHash } from 'node:crypto';
import type { ChatChannel } from './schema/channel.ts';

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

/** Name of the queue of a channel of Slack or Teams. */
export function toChatQueueName(stackName: string, channel: Pick<ChatChannel, 'kind' | 'name'>): string {
  return `${toPartsPrefix(stackName)}-${toChatPart(channel)}.fifo`;
}

/** Name of a queue of the config that the stack creates. */
export function toEventQueueName(stackName: string, queue: string): string {
  return `${toPartsPrefix(stackName)}-${queue}`;
}

/** Name of the function of a channel of Slack or Teams, without that of the stack. */
export function toChatPart({ kind, name }: Pick<ChatChannel, 'kind' | 'name'>): string {
  return `${kind}-${name}`;
}

/** A name of a function or an address of a queue, by a path such as `queues/webhook-payroll/url`. */
export type Part = readonly [path: string, value: string];

/** Beginning of the paths of parameters that hold several parts. */
const PACKED = 'parts/';
/** An address of a queue takes up to 206 of the 4,096 characters of a parameter. */
const PARTS_IN_A_PARAMETER = 16;

/** Parameters of the stack for these parts: each one of its own would count towards the 500 resources of a stack. */
export function packParts(parts: readonly Part[]): Part[] {
  const count = Math.ceil(parts.length / PARTS_IN_A_PARAMETER);
  return Array.from({ length: count }, (_, at) => {
    const packed = parts.slice(at * PARTS_IN_A_PARAMETER, (at + 1) * PARTS_IN_A_PARAMETER);
    return [`${PACKED}${at}`, packed.map((part) => part.join(' ')).join('\n')];
  });
}

/** What a parameter of the stack says: itself, or the parts that it holds. */
export function unpackParts([path, value]: Part): Part[] {
  if (!path.startsWith(PACKED)) return [[path, value]];
  return value.split('\n').map((line) => {
    const end = line.indexOf(' ');
    return [line.slice(0, end), line.slice(end + 1)];
  });
}
