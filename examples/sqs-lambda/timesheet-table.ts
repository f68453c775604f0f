import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { FoldState, TimesheetEvent, WorkforceEvent } from 'workforce-change-notifier';

/** The folded state of a timesheet, and how often it was written. */
interface KnownTimesheet {
  readonly revision: number;
  readonly state: FoldState<TimesheetEvent | WorkforceEvent<'workforce.employee.forgotten'>> | null;
}

/** Where the Lambda keeps timesheets. */
export interface TimesheetTable {
  load(key: string): Promise<KnownTimesheet>;
  /** False when another invocation wrote it since it was loaded. */
  save(key: string, known: KnownTimesheet): Promise<boolean>;
}

/** Timesheets in a DynamoDB table whose partition key is `key`. */
export function createTimesheetTable(client: DynamoDBClient, tableName: string): TimesheetTable {
  return {
    async load(key) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: { key: { S: key } }, ConsistentRead: true }),
      );
      return {
        revision: Number(Item?.revision?.N ?? 0),
        state: Item?.state?.S === undefined ? null : JSON.parse(Item.state.S),
      };
    },
    async save(key, { revision, state }) {
      try {
        await client.send(
          new PutItemCommand({
            TableName: tableName,
            Item: {
              key: { S: key },
              revision: { N: String(revision + 1) },
              state: { S: JSON.stringify(state) },
            },
            ConditionExpression: 'attribute_not_exists(revision) OR revision = :revision',
            ExpressionAttributeValues: { ':revision': { N: String(revision) } },
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
}
