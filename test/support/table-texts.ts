import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { decompressed } from '#shared/adapters/dynamo/compression.ts';
import { type EmbeddedDynamo, readItems } from './embedded-dynamo.ts';

/** Every item of a table as text, with what is packed or compressed in it, by its keys. */
export async function readTableTexts(
  table: Pick<EmbeddedDynamo, 'client' | 'tableName'>,
): Promise<Map<string, string>> {
  const items = await readItems(table);
  return new Map(
    items.map(({ pk, sk, ...values }) => {
      const names = Object.keys(values).sort();
      return [`${pk?.S} / ${sk?.S}`, names.map((name) => decode(values[name] ?? { NULL: true })).join('\n')];
    }),
  );
}

function decode({ S, N, B }: AttributeValue): string {
  if (B === undefined) return S ?? N ?? '';
  const bytes = Buffer.from(B).toString('latin1');
  try {
    return `${decompressed(B)} ${bytes}`;
  } catch {
    return bytes;
  }
}
