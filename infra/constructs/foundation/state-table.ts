import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { INTERESTS_PARTITION, TABLE, toDeliveryPartition, toThreadsPartition } from '#shared/config/table.ts';

/** Actions of the DynamoDB adapters; a transaction needs the actions of its parts. */
const READ_OPERATIONS = ['BatchGetItem', 'GetItem', 'Query'] as const;
const WRITE_OPERATIONS = ['BatchWriteItem', 'DeleteItem', 'PutItem', 'UpdateItem'] as const;

type ReadOperation = (typeof READ_OPERATIONS)[number];
type ItemOperation = ReadOperation | (typeof WRITE_OPERATIONS)[number];

/** Reading and writing whole items by key. */
const KEEPING_OPERATIONS = ['GetItem', 'PutItem'] as const;

interface Allowance {
  /** Names the statement in its policy. */
  readonly sid: string;
  readonly operations: readonly (ItemOperation | 'DescribeTable')[];
  /** Null for an action on the table itself. */
  readonly partitionKeys: readonly string[] | null;
}

export interface StateTableProps {
  readonly customerKey: IKey | undefined;
  /** Name of a table that exists already, and is not made. */
  readonly existingTable: string | undefined;
}

/** The one table: states, rows, events, alerts, deliveries. It is retained when the stack is deleted. */
export class StateTable extends Construct {
  readonly table: ITable | Table;

  constructor(scope: Construct, id: string, { customerKey, existingTable }: StateTableProps) {
    super(scope, id);
    this.table =
      existingTable === undefined
        ? this.createTable(customerKey)
        : Table.fromTableName(this, 'Existing', existingTable);
  }

  private createTable(customerKey: IKey | undefined): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      // Load comes in bursts (a baseline, a bulk approval) with long pauses in between.
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Without a key DynamoDB encrypts with one that AWS owns, at no cost.
      ...(customerKey === undefined
        ? {}
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: customerKey }),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledge(
      table,
      'DynamoDBInBackupPlan',
      'point-in-time recovery restores any second of the last 35 days',
    );
    return table;
  }

  /** Allows a function to use items under these partition keys, which may end with `*`. Default: all operations. */
  allowUse(
    role: IRole,
    partitionKeys: readonly string[],
    operations: readonly ItemOperation[] = [...READ_OPERATIONS, ...WRITE_OPERATIONS],
  ): void {
    this.allow(role, { sid: 'UseTable', operations, partitionKeys });
  }

  /** Allows a function to read the id of the table: a restored table has another one. */
  allowDescribing(role: IRole): void {
    this.allow(role, { sid: 'RecognizeTable', operations: ['DescribeTable'], partitionKeys: null });
  }

  /** Allows a function to read items, with partition keys as in `allowUse`. */
  allowRead(
    role: IRole,
    partitionKeys: readonly string[],
    operations: readonly ReadOperation[] = READ_OPERATIONS,
  ): void {
    this.allow(role, { sid: 'ReadTable', operations, partitionKeys });
  }

  /** Allows a function to remember what webhooks want, and since when. */
  allowKeepingInterests(role: IRole): void {
    const partitionKeys = [INTERESTS_PARTITION];
    this.allow(role, { sid: 'KeepInterests', operations: KEEPING_OPERATIONS, partitionKeys });
  }

  /** Allows a function to read what became of events at destinations, such as `webhook/*`. */
  allowReadingDeliveries(role: IRole, destinations: string): void {
    const partitionKeys = [toDeliveryPartition(destinations, '*')];
    this.allow(role, { sid: 'ReadDeliveries', operations: ['BatchGetItem'], partitionKeys });
  }

  /** Allows a function to read and write the deliveries to one destination, but not to delete them. */
  allowRecordingDeliveries(role: IRole, destination: string): void {
    const partitionKeys = [toDeliveryPartition(destination, '*')];
    this.allow(role, { sid: 'NoteDeliveries', operations: KEEPING_OPERATIONS, partitionKeys });
  }

  /** Allows a function to read and write where the threads of one Slack channel begin, and no alerts. */
  allowKeepingThreads(role: IRole, channel: string): void {
    const partitionKeys = [toThreadsPartition(channel)];
    this.allow(role, { sid: 'KeepThreads', operations: KEEPING_OPERATIONS, partitionKeys });
  }

  /** Allows a function to read, write and delete single items under a partition key. */
  allowItemAccess(role: IRole, partitionKey: string): void {
    const operations = [...KEEPING_OPERATIONS, 'DeleteItem'] as const;
    this.allow(role, { sid: 'Note', operations, partitionKeys: [partitionKey] });
  }

  private allow(role: IRole, { sid, operations, partitionKeys }: Allowance): void {
    const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitionKeys } };
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid,
        actions: operations.map((operation) => `dynamodb:${operation}`),
        resources: [this.table.tableArn],
        ...(partitionKeys === null ? {} : { conditions }),
      }),
    );
  }
}
