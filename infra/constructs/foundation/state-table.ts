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

/** What the DynamoDB adapters call; a transaction needs the actions of its parts. */
const READ_ACTIONS = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
const WRITE_ACTIONS = [
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];

/** The operations that no poll can do without: what fails here stops the rest. */
type WatchedOperation = 'Query' | 'TransactWriteItems';

const PERIOD = { period: Duration.minutes(5), statistic: Stats.SUM };

/** Single items that are looked up by their keys and written whole. */
const ITEM_ACTIONS = ['dynamodb:GetItem', 'dynamodb:PutItem'];

interface Allowance {
  /** Names the statement in its policy. */
  readonly sid: string;
  readonly actions: readonly string[];
  readonly partitionKeys: readonly string[];
}

/** The one table: snapshots, events, outbox, alerts, deliveries. What a baseline has learned outlives the stack. */
export class StateTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, encryptionKey: IKey | undefined) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      // Load comes in bursts (a baseline, a bulk approval) with near silence between them.
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // DynamoDB always encrypts; without a key of ours, with one that AWS owns and that costs nothing.
      ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const { table } = this;
    acknowledge(table, 'DynamoDBInBackupPlan', 'point-in-time recovery goes back to any second of 35 days');
  }

  /**
   * Lets a function read and write items under some partition keys, such as `webhook#payroll`, and nothing else.
   * A key may end with `*`. Without keys, all of them.
   */
  allowUse(role: IRole, partitionKeys: readonly string[] = []): void {
    this.allow(role, { sid: 'UseTable', actions: [...READ_ACTIONS, ...WRITE_ACTIONS], partitionKeys });
  }

  /** Lets a function find out which table it is in: a restored one has another id. */
  allowDescribing(role: IRole): void {
    this.allow(role, { sid: 'RecognizeTable', actions: ['dynamodb:DescribeTable'], partitionKeys: [] });
  }

  /** Lets a function read items under some partition keys, as `allowUse` does. */
  allowRead(role: IRole, partitionKeys: readonly string[] = []): void {
    this.allow(role, { sid: 'ReadTable', actions: READ_ACTIONS, partitionKeys });
  }

  /** Lets a function note and look up what became of deliveries, and take back nothing. */
  allowRecordingDeliveries(role: IRole): void {
    this.allow(role, { sid: 'NoteDeliveries', actions: ITEM_ACTIONS, partitionKeys: ['deliveries#*'] });
  }

  /** Lets a function note, look up and forget single items under a partition key. */
  allowItemAccess(role: IRole, partitionKey: string): void {
    const actions = [...ITEM_ACTIONS, 'dynamodb:DeleteItem'];
    this.allow(role, { sid: 'Note', actions, partitionKeys: [partitionKey] });
  }

  /** Sounds when DynamoDB holds us back or fails. */
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

  private allow(role: IRole, { sid, actions, partitionKeys }: Allowance): void {
    const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitionKeys } };
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid,
        actions: [...actions],
        resources: [this.table.tableArn],
        ...(partitionKeys.length === 0 ? {} : { conditions }),
      }),
    );
  }
}
