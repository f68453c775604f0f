import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { fold, isTimesheetEvent, parseEvent } from 'workforce-change-notifier';
import type { TimesheetTable } from './timesheet-table.ts';

/**
 * Keeps a table of timesheets from a queue subscribed to the topic `timesheets`. Enable
 * `reportBatchItemFailures` on the event source: only failed messages are then retried, and end in the dead-letter
 * queue. Of a timesheet whose employee is erased (`employee.forgotten`) it keeps the position alone.
 */
export function createHandler(table: TimesheetTable) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
    for (const record of Records) {
      const taken = await take(record, table).catch(() => false);
      if (!taken) batchItemFailures.push({ itemIdentifier: record.messageId });
    }
    return { batchItemFailures };
  };
}

/** False when the message must be retried. */
async function take(record: SQSRecord, table: TimesheetTable): Promise<boolean> {
  const parsed = parseEvent(record);
  switch (parsed.outcome) {
    case 'invalid':
      return false;
    case 'unknown_type':
    case 'example':
      return true;
    case 'event':
      break;
  }
  const { event } = parsed;
  if (!isTimesheetEvent(event) && event.type !== 'workforce.employee.forgotten') return true;
  const { revision, state } = await table.load(event.partitionkey);
  const folded = fold(state, event);
  if (folded.outcome === 'repeated') return true;
  return await table.save(event.partitionkey, { revision, state: folded.state });
}
