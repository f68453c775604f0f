import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { TABLE } from '#shared/config/table.ts';
import { NotifierAlarm } from './notifier-alarm.ts';
import { sumMetrics } from './sum-metrics.ts';

/** Actions of the DynamoDB adapters; a transaction needs the actions of its parts. */
const READ_OPERATIONS = ['BatchGetItem', 'GetItem', 'Query'] as const;
const WRITE_OPERATIONS = ['BatchWriteItem', 'DeleteItem', 'PutItem', 'UpdateItem'] as const;

type ReadOperation = (typeof READ_OPERATIONS)[number];
type ItemOperation = ReadOperation | (typeof WRITE_OPERATIONS)[number];

/** Operations without which a poll cannot proceed. */
type WatchedOperation = 'Query' | 'TransactWriteItems';

const PERIOD = { period: Duration.minutes(5), statistic: Stats.SUM };

/** Reading and writing whole items by key. */
const LEDGER_OPERATIONS = ['GetItem', 'PutItem'] as const;

interface Allowance {
  /** Names the statement in its policy. */
  readonly sid: string;
  readonly operations: readonly (ItemOperation | 'DescribeTable')[];
  /** Null for an action on the table itself. */
  readonly partitionKeys: readonly string[] | null;
}

/** The one table: snapshots, events, outbox, alerts, deliveries. It is retained when the stack is deleted. */
export class StateTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, encryptionKey: IKey | undefined) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      // Load comes in bursts (a baseline, a bulk approval) with long pauses in between.
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Without a key DynamoDB encrypts with one that AWS owns, at no cost.
      ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const { table } = this;
    acknowledge(
      table,
      'DynamoDBInBackupPlan',
      'point-in-time recovery restores any second of the last 35 days',
    );
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

  /** Allows a function to read and write entries of the delivery ledger, but not to delete them. */
  allowRecordingDeliveries(role: IRole): void {
    const partitionKeys = ['deliveries#*'];
    this.allow(role, { sid: 'NoteDeliveries', operations: LEDGER_OPERATIONS, partitionKeys });
  }

  /** Allows a function to read, write and delete single items under a partition key. */
  allowItemAccess(role: IRole, partitionKey: string): void {
    const operations = [...LEDGER_OPERATIONS, 'DeleteItem'] as const;
    this.allow(role, { sid: 'Note', operations, partitionKeys: [partitionKey] });
  }

  /** Alarms on throttling and errors of DynamoDB. */
  addAlarms(notify: ITopic): void {
    new NotifierAlarm(this, 'Throttled', {
      alarm: 'table-throttled',
      metric: sumMetrics(
        {
          reads: this.table.metric('ReadThrottleEvents', PERIOD),
          writes: this.table.metric('WriteThrottleEvents', PERIOD),
        },
        { label: 'Throttled reads and writes', period: PERIOD.period },
      ),
      when: { atLeast: 1 },
      periods: 2,
      of: 3,
      notify,
    });
    new NotifierAlarm(this, 'SystemErrors', {
      alarm: 'table-system-errors',
      metric: sumMetrics(
        {
          queries: this.metricSystemErrors('Query'),
          transactions: this.metricSystemErrors('TransactWriteItems'),
        },
        { label: 'System errors', period: PERIOD.period },
      ),
      when: { atLeast: 1 },
      periods: 2,
      of: 3,
      notify,
    });
  }

  private metricSystemErrors(operation: WatchedOperation): IMetric {
    const dimensionsMap = { TableName: this.table.tableName, Operation: operation };
    return this.table.metric('SystemErrors', { ...PERIOD, dimensionsMap });
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
