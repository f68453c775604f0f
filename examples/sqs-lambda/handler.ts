import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createHandler } from './keep-timesheets.ts';
import { createTimesheetTable } from './timesheet-table.ts';

export const handler = createHandler(
  createTimesheetTable(new DynamoDBClient(), process.env.TABLE_NAME ?? ''),
);
