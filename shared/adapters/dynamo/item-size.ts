import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './attributes.ts';

/** Most bytes of a number. */
const NUMBER_BYTES = 21;

/** Bytes of an item as DynamoDB counts them: of names and values, a number by its digits. */
export function measureItem(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + measureValue(value), 0);
}

function measureValue({ S, N, B }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.min(NUMBER_BYTES, Math.ceil(N.length / 2) + 1);
  return B?.length ?? 0;
}
