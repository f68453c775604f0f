import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { decompressed } from '#shared/adapters/dynamo/compression.ts';
import { readLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';

interface StoredTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

/** Every item of a table as text, with what is packed or compressed in it, by its keys. */
export async function readTableTexts({
  client,
  tableName: TableName,
}: StoredTable): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey }));
    for (const { pk, sk, ...values } of page.Items ?? [])
      texts.set(
        `${pk?.S} / ${sk?.S}`,
        [
          ...Object.keys(values)
            .sort()
            .map((name) => decode(values[name] ?? {})),
          readLeaf({ pk, sk, ...values }),
        ].join('\n'),
      );
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return texts;
}

function decode({ S, N, B, SS }: Partial<Record<'S' | 'N', string>> & { B?: Uint8Array; SS?: string[] }) {
  if (B === undefined) return [S, N, ...(SS ?? [])].join(' ');
  return `${attempt(() => decompressed(B)) ?? ''} ${Buffer.from(B).toString('latin1')}`;
}

function readLeaf(item: Record<string, AttributeValue | undefined>): string {
  const [, , part, slice = ''] = item.pk?.S?.split('#') ?? [];
  if (part !== 'leaves') return '';
  return JSON.stringify(
    readLeafItem(item as Record<string, AttributeValue>, { slice, generation: '', index: 0 }),
  );
}

function attempt(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
