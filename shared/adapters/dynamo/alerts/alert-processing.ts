import * as z from 'zod';
import type { Processing, ProcessingKey } from '#shared/alerts/flow/collection.ts';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import { ATTRIBUTE } from '../attributes.ts';
import { getItem } from '../items.ts';
import { readJsonItem } from '../json-items.ts';
import type { Key } from '../keys.ts';
import type { Table } from '../table.ts';
import { buildUpdate, updateItem } from '../updates.ts';

const processingSchema = z.object({ revision: z.int(), finished: z.boolean(), times: z.int() });

export async function loadProcessing(
  table: Table,
  connection: string,
  payPeriodId: string,
): Promise<Processing | null> {
  const item = await getItem(table, 'loadProcessing', processingKey(connection, payPeriodId));
  return item === null ? null : readJsonItem(processingSchema, item);
}

/** Never expires: without it, a change to an old period would be reported as news. */
export async function saveProcessing(
  table: Table,
  { connection, payPeriodId, expectedRevision }: ProcessingKey,
  processing: Processing,
): Promise<CommitOutcome> {
  const update = buildUpdate({
    key: processingKey(connection, payPeriodId),
    values: {
      [ATTRIBUTE.revision]: processing.revision,
      [ATTRIBUTE.body]: JSON.stringify(processing),
    },
    pointer: null,
    expectedRevision,
  });
  return await updateItem(table, 'saveProcessing', update);
}

function processingKey(connection: string, payPeriodId: string): Key {
  return { partition: `${connection}#processing`, sort: payPeriodId };
}
