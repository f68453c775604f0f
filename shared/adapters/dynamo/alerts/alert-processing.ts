import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import type { Processing, ProcessingKey } from '#shared/ports/alerts.ts';
import { ATTRIBUTE, FORMAT_VERSION } from '../attributes.ts';
import { getItem, readJsonItem } from '../items.ts';
import type { Key } from '../keys.ts';
import type { Table } from '../table.ts';
import { buildUpdate } from '../update.ts';

const processingSchema = z.object({ revision: z.int(), finished: z.boolean(), times: z.int() });

export async function loadProcessing(
  table: Table,
  connection: string,
  payPeriodId: string,
): Promise<Processing | null> {
  const item = await getItem(table, 'loadProcessing', processingKey(connection, payPeriodId));
  return item === null ? null : readJsonItem(processingSchema, item);
}

/** Not for a time: an old period that is told of again would be told as something new. */
export async function saveProcessing(
  table: Table,
  { connection, payPeriodId, expectedRevision }: ProcessingKey,
  processing: Processing,
): Promise<CommitOutcome> {
  const update = buildUpdate({
    key: processingKey(connection, payPeriodId),
    values: {
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.revision]: processing.revision,
      [ATTRIBUTE.body]: JSON.stringify(processing),
    },
    pointer: null,
    expectedRevision,
  });
  const { outcome } = await table.attempt({
    operation: 'saveProcessing',
    kind: 'write',
    send: (client) => client.send(new UpdateItemCommand({ ...table.settings, ...update })),
  });
  return outcome === 'done' ? 'committed' : 'conflict';
}

function processingKey(connection: string, payPeriodId: string): Key {
  return { partition: `${connection}#processing`, sort: payPeriodId };
}
