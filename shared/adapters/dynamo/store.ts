import { toHeadsPartition, toLogPartition } from '#shared/config/table.ts';
import { CLOCK_TOLERANCE_MS } from '#shared/core/clock-tolerance.ts';
import { LeaseLost } from '#shared/core/errors.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { Head } from '#shared/core/snapshot/head.ts';
import { beginLog, followLog, type LogPosition } from '#shared/core/snapshot/log-key.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { BucketKey, BucketWrite, Commit, Lease, LogItem, Store } from '#shared/flow/poll/ports.ts';
import { loadAnswers, toAnswersItem } from './answers.ts';
import { ATTRIBUTE, FORMAT, toAttributes, type Values } from './attributes.ts';
import { readItems, toMapKey } from './batches.ts';
import { readBucketItem, toBucketItem } from './bucket-items.ts';
import { DOES_NOT_EXIST, type ItemCondition } from './conditions.ts';
import { loadCount, saveCount } from './counts.ts';
import { readHeadItem, toHeadItem } from './head-items.ts';
import { getItem } from './items.ts';
import { type Key, toBucketKey, toHeadKey, toKeyAttributes, toStateKey } from './keys.ts';
import { type LoggedWrites, readLogItem, toLogItems } from './log-items.ts';
import { queryItems, queryPages } from './queries.ts';
import { CURSORS, LEASE, readStateItem, toCursorValues, toStateValues, toTopicValues } from './state-item.ts';
import { Table, type TableOptions } from './table.ts';
import { createTableIdReader } from './table-id.ts';
import { type TransactionWrite, transact } from './transactions.ts';
import { buildUpdate, type UpdateInput, updateItem } from './updates.ts';

/** The poll that held the lease gave it back, or did not end in time. */
const IS_ENDED = '#until <= :now';
/** The poll that held it had a wrong clock: no lease lasts that long. */
const IS_TOO_LONG = '#until > :latest';
/** Nobody took the lease since (rule 1). */
const IS_OURS = '#token = :token';
/** Of a lease that was given back. */
const ENDED = 0;

/**
 * The store in the one table. Throws `NotifierError`: `store_throttled` and `store_unreachable` (retryable; of a commit
 * it is not known whether it took place), `store_table_missing`, `store_rejected`, `store_transaction_too_large`,
 * `store_format_unknown`, `store_item_unreadable`.
 */
export function createDynamoStore(options: TableOptions): Store {
  const table = new Table(options);
  /** By connection: the clock of the lease, and where its last commit was logged. */
  const positions = new Map<string, LogPosition>();
  return {
    async takeLease(connection, until, now) {
      const state = await takeLease(table, connection, { until, now });
      if (state !== null) positions.set(connection, beginLog(state.clock));
      return state;
    },
    renewLease: (lease, until) => updateOwn(table, 'renewLease', lease, { [LEASE.until]: until }),
    async giveBack(lease, { topics, ...state }) {
      const position = positions.get(lease.connection);
      await updateOwn(table, 'giveBack', lease, {
        ...{ [LEASE.until]: ENDED, ...toTopicValues(topics), ...toStateValues(state) },
        ...(position === undefined ? {} : { [LEASE.clock]: position.clock }),
      });
    },
    async commit(lease, commit, { clock, until, expiresAt }) {
      const first = followLog(positions.get(lease.connection), clock);
      const log = toLogItems(lease.connection, commit.log, { first, expiresAt });
      positions.set(lease.connection, log.last);
      await execute(table, lease, { commit, log, until });
      return log.keys;
    },
    async loadState(connection) {
      const item = await getItem(table, 'loadState', toStateKey(connection));
      return item === null ? null : readStateItem(item);
    },
    loadHeads: (connection) => loadHeads(table, connection),
    readBuckets: (connection, keys) => readBuckets(table, connection, keys),
    readLog: (connection, after, topic) => readLog(table, connection, { after, topic }),
    tableId: createTableIdReader(table),
    loadCount: (key) => loadCount(table, key),
    saveCount: (key, hours, expiresAt) => saveCount(table, key, { hours, expiresAt }),
    loadAnswers: (connection, payPeriodId) => loadAnswers(table, connection, payPeriodId),
    async saveAnswers(lease, payPeriodId, { answers, until, expiresAt }) {
      const Item = toAnswersItem(lease.connection, payPeriodId, { answers, expiresAt });
      const state = { Update: buildOwnUpdate(lease, { [LEASE.until]: until }) };
      const writes: TransactionWrite[] = [state, { Put: { Item } }];
      const outcome = await transact(table, { operation: 'saveAnswers', retryOnContention: true, writes });
      if (outcome === 'conflict') throw new LeaseLost(lease.connection);
    },
  };
}

/** A state that is new gets its format; one of another format is refused when it is read. */
const TAKE_LEASE = `SET #until = :until, #format = if_not_exists(#format, :format) ADD #token :one`;

async function takeLease(
  table: Table,
  connection: string,
  { until, now }: { readonly until: number; readonly now: number },
): Promise<ConnectionState | null> {
  const item = await updateItem(table, 'takeLease', {
    Key: toKeyAttributes(toStateKey(connection)),
    UpdateExpression: TAKE_LEASE,
    ConditionExpression: `${DOES_NOT_EXIST} OR ${IS_ENDED} OR ${IS_TOO_LONG}`,
    ExpressionAttributeNames: { '#until': LEASE.until, '#token': LEASE.token, '#format': ATTRIBUTE.format },
    ExpressionAttributeValues: toAttributes({
      ...{ ':until': until, ':format': FORMAT, ':one': 1 },
      ...{ ':now': now, ':latest': until + CLOCK_TOLERANCE_MS },
    }),
  });
  if (item === null) return null;
  const state = readStateItem(item);
  // Written by the first commit, or when the lease is given back: nobody has seen it before.
  return { ...state, clock: Math.max(now, state.clock + 1) };
}

/** An update of the state by the poll that holds the lease. */
function buildOwnUpdate({ connection, token }: Lease, values: Values): UpdateInput {
  const condition: ItemCondition = {
    ConditionExpression: IS_OURS,
    ExpressionAttributeNames: { '#token': LEASE.token },
    ExpressionAttributeValues: toAttributes({ ':token': token }),
  };
  return buildUpdate({ key: toStateKey(connection), values, condition });
}

async function updateOwn(table: Table, operation: string, lease: Lease, values: Values): Promise<void> {
  const item = await updateItem(table, operation, buildOwnUpdate(lease, values));
  if (item === null) throw new LeaseLost(lease.connection);
}

interface LoggedCommit {
  readonly commit: Commit;
  readonly log: LoggedWrites;
  readonly until: number;
}

/** Executes a commit in one transaction (rule 2). */
async function execute(table: Table, lease: Lease, { commit, log, until }: LoggedCommit): Promise<void> {
  const { connection } = lease;
  const logged = commit.log.map(({ topic }, index) => [CURSORS[topic].logged, log.keys[index]]);
  const state = buildOwnUpdate(lease, {
    ...{ [LEASE.until]: until, [LEASE.clock]: log.last.clock },
    ...toCursorValues(commit.published),
    ...Object.fromEntries(logged),
    ...toStateValues(commit.state),
  });
  const puts = [...commit.heads.map((head) => toHeadItem(connection, head)), ...log.items];
  const writes: TransactionWrite[] = [
    { Update: state },
    ...puts.map((Item) => ({ Put: { Item } })),
    ...commit.removedHeads.map((slice) => toDelete(toHeadKey(connection, slice))),
    ...commit.buckets.map((bucket) => toBucketWrite(connection, bucket)),
  ];
  const outcome = await transact(table, { operation: 'commit', retryOnContention: true, writes });
  if (outcome === 'conflict') throw new LeaseLost(connection);
}

/** A bucket without rows has no item. */
function toBucketWrite(connection: string, { rows, ...bucket }: BucketWrite): TransactionWrite {
  const key = toBucketKey(connection, bucket);
  if (rows === null || rows.length === 0) return toDelete(key);
  return { Put: { Item: toBucketItem(key, rows) } };
}

function toDelete(key: Key): TransactionWrite {
  return { Delete: { Key: toKeyAttributes(key) } };
}

async function loadHeads(table: Table, connection: string): Promise<Head[]> {
  const partition = toHeadsPartition(connection);
  return (await queryItems(table, { operation: 'loadHeads', partition })).map(readHeadItem);
}

async function readBuckets(
  table: Table,
  connection: string,
  buckets: readonly BucketKey[],
): Promise<StoredRow[][]> {
  const keys = buckets.map((bucket) => toBucketKey(connection, bucket));
  const items = await readItems(table, 'readBuckets', keys);
  return keys.map((key) => {
    const item = items.get(toMapKey(key));
    return item === undefined ? [] : readBucketItem(item);
  });
}

async function* readLog(
  table: Table,
  connection: string,
  { after, topic }: { readonly after: string; readonly topic: EventTopic | undefined },
): AsyncGenerator<LogItem, void> {
  const partition = toLogPartition(connection);
  // DynamoDB refuses an empty text as a key.
  const query = { operation: 'readLog', partition, ...(after === '' ? {} : { after }) };
  for await (const page of queryPages(table, query)) {
    for (const item of page) {
      const logged = readLogItem(item, topic);
      if (logged !== null) yield logged;
    }
  }
}
