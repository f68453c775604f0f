import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

export const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;

/** Bytes of an item as DynamoDB counts them: names and values in UTF-8. 0 without an item. */
export function itemBytes(item: Item | undefined): number {
  if (item === undefined) return 0;
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += Buffer.byteLength(name) + valueBytes(value);
  return bytes;
}

/** One unit per KB begun, and at least one. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));
}

/** One unit per 4 KB begun of a strongly consistent read, and at least one. */
export function readUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES));
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.SS !== undefined) return value.SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (value.L !== undefined) return 3 + value.L.reduce((sum, each) => sum + 1 + valueBytes(each), 0);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  return 1;
}

/** A byte per two digits without leading and trailing zeros, one more, and one for a sign. */
function numberBytes(text: string): number {
  const digits = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
