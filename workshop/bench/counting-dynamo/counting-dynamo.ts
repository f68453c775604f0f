import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import {
  type BatchGetItemCommandInput,
  type BatchWriteItemCommandInput,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  type GetItemCommandInput,
  IdempotentParameterMismatchException,
  type QueryCommandInput,
  TransactionCanceledException,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import { applyUpdate, holds, type Terms } from './expressions.ts';
import { type Item, itemBytes, readUnits, writeUnits } from './item-size.ts';

/** Bytes that a page of a query reads. */
const MAX_QUERY_BYTES = 1_048_576;
/** A transaction prepares and commits: two writes. */
const TRANSACTION_FACTOR = 2;

/** Units spent since the table was created, including writes whose condition failed. */
export interface Units {
  read: number;
  write: number;
}

interface Write extends Terms {
  readonly Key?: Item | undefined;
  readonly Item?: Item | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
}

type Input = { readonly constructor: { readonly name: string }; readonly input: unknown };

/**
 * One table in memory behind the interface of the SDK's client; it counts units by DynamoDB's rules. It supports what
 * the adapter sends and throws on anything else. A test compares it with an engine, which is much slower.
 */
export function createCountingDynamo(): { readonly client: DynamoDBClient; readonly units: Units } {
  const table = new CountingTable();
  const client = { send: async (command: Input) => table.answer(command), destroy: () => {} };
  return { client: client as unknown as DynamoDBClient, units: table.units };
}

class CountingTable {
  readonly units: Units = { read: 0, write: 0 };
  readonly #partitions = new Map<string, Map<string, Item>>();
  /** Hash of the contents written by each request token. */
  readonly #tokens = new Map<string, string>();

  answer(command: Input): object {
    const { input } = command;
    switch (command.constructor.name) {
      case 'GetItemCommand':
        return this.#get(input as GetItemCommandInput);
      case 'PutItemCommand':
      case 'UpdateItemCommand':
      case 'DeleteItemCommand':
        return this.#writeOne(input as Write, command.constructor.name);
      case 'QueryCommand':
        return this.#query(input as QueryCommandInput);
      case 'BatchGetItemCommand':
        return this.#batchGet(input as BatchGetItemCommandInput);
      case 'BatchWriteItemCommand':
        return this.#batchWrite(input as BatchWriteItemCommandInput);
      case 'TransactWriteItemsCommand':
        return this.#transact(input as TransactWriteItemsCommandInput);
      case 'DescribeTableCommand':
        return { Table: { TableId: 'counted' } };
      default:
        throw new Error(`${command.constructor.name} is not supported`);
    }
  }

  #get({ Key }: GetItemCommandInput): object {
    const item = this.#find(Key ?? {});
    this.units.read += readUnits(itemBytes(item));
    return withConsumedCapacity(
      item === undefined ? {} : { Item: copyItem(item) },
      readUnits(itemBytes(item)),
    );
  }

  #batchGet({ RequestItems = {} }: BatchGetItemCommandInput): object {
    let units = 0;
    const Responses: Record<string, Item[]> = {};
    for (const [table, { Keys = [] }] of Object.entries(RequestItems)) {
      const items = Keys.map((key) => this.#find(key));
      units += items.reduce((sum, item) => sum + readUnits(itemBytes(item)), 0);
      Responses[table] = items.filter((item) => item !== undefined).map(copyItem);
    }
    this.units.read += units;
    return withConsumedCapacity({ Responses }, units);
  }

  #query(input: QueryCommandInput): object {
    const partition = Object.values(input.ExpressionAttributeValues ?? {})[0]?.S ?? '';
    const after = input.ExclusiveStartKey?.[TABLE.sortKey]?.S;
    const Items: Item[] = [];
    let bytes = 0;
    const sorted = [...(this.#partitions.get(partition)?.entries() ?? [])].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    for (const [sort, item] of sorted) {
      if (after !== undefined && sort <= after) continue;
      if (!holds(input.KeyConditionExpression, item, input)) continue;
      bytes += itemBytes(item);
      Items.push(copyItem(item));
      if (bytes >= MAX_QUERY_BYTES || Items.length === input.Limit) break;
    }
    this.units.read += readUnits(bytes);
    const last = Items.at(-1);
    const isCut = bytes >= MAX_QUERY_BYTES || Items.length === input.Limit;
    return withConsumedCapacity(
      { Items, ...(isCut && last !== undefined ? { LastEvaluatedKey: keyOf(last) } : {}) },
      readUnits(bytes),
    );
  }

  #writeOne(write: Write, command: string): object {
    const units = this.#unitsOf(write);
    this.units.write += units;
    if (!this.#isAllowed(write)) {
      throw new ConditionalCheckFailedException({ message: 'the condition failed', $metadata: {} });
    }
    this.#apply(write, command === 'DeleteItemCommand');
    return withConsumedCapacity({}, units);
  }

  #batchWrite({ RequestItems = {} }: BatchWriteItemCommandInput): object {
    let units = 0;
    for (const { PutRequest, DeleteRequest } of Object.values(RequestItems).flat()) {
      const write = { Item: PutRequest?.Item, Key: DeleteRequest?.Key };
      units += this.#unitsOf(write);
      this.#apply(write, DeleteRequest !== undefined);
    }
    this.units.write += units;
    return withConsumedCapacity({}, units);
  }

  #transact({ TransactItems = [], ClientRequestToken: token }: TransactWriteItemsCommandInput): object {
    const writes = TransactItems.map(toWrite);
    const units = writes.reduce((sum, { write }) => sum + TRANSACTION_FACTOR * this.#unitsOf(write), 0);
    const contents = hash('sha256', serialize(TransactItems));
    if (token !== undefined && this.#tokens.has(token)) return this.#answerRepeated(token, contents);
    this.units.write += units;
    if (!writes.every(({ write }) => this.#isAllowed(write))) {
      const CancellationReasons = writes.map(({ write }) => ({
        Code: this.#isAllowed(write) ? 'None' : 'ConditionalCheckFailed',
      }));
      throw new TransactionCanceledException({
        message: 'a condition failed',
        $metadata: {},
        CancellationReasons,
      });
    }
    for (const { write, deletes } of writes) this.#apply(write, deletes);
    if (token !== undefined) this.#tokens.set(token, contents);
    return withConsumedCapacity({}, units);
  }

  #answerRepeated(token: string, contents: string): object {
    if (this.#tokens.get(token) === contents) return withConsumedCapacity({}, 0);
    throw new IdempotentParameterMismatchException({
      message: 'another write used this token',
      $metadata: {},
    });
  }

  /** A write costs the larger of the item before and the item after it. */
  #unitsOf(write: Write): number {
    const before = this.#find(write.Item ?? write.Key ?? {});
    const bytesAfter = this.#isAllowed(write) ? itemBytes(this.#computeAfter(write)) : 0;
    return writeUnits(Math.max(itemBytes(before), bytesAfter));
  }

  #computeAfter(write: Write): Item | undefined {
    if (write.Item !== undefined) return write.Item;
    if (write.UpdateExpression === undefined) return undefined;
    const key = write.Key ?? {};
    return applyUpdate(write.UpdateExpression, this.#find(key) ?? key, write);
  }

  #isAllowed(write: Write): boolean {
    return holds(write.ConditionExpression, this.#find(write.Item ?? write.Key ?? {}), write);
  }

  #apply(write: Write, deletes: boolean): void {
    const [partition, sort] = readKeys(write.Item ?? write.Key ?? {});
    if (deletes) {
      this.#partitions.get(partition)?.delete(sort);
      return;
    }
    const item = this.#computeAfter(write);
    if (item === undefined) return;
    const items = this.#partitions.get(partition) ?? new Map<string, Item>();
    items.set(sort, copyItem(item));
    this.#partitions.set(partition, items);
  }

  #find(key: Item): Item | undefined {
    const [partition, sort] = readKeys(key);
    return this.#partitions.get(partition)?.get(sort);
  }
}

/** Copies what callers could change: bytes and sets. */
function copyItem(item: Item): Item {
  const copies = Object.entries(item).map(([name, value]) => {
    if (value.B !== undefined) return [name, { B: value.B.slice() }];
    return [name, value.SS === undefined ? value : { SS: [...value.SS] }];
  });
  return Object.fromEntries(copies) as Item;
}

function toWrite({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): {
  write: Write;
  deletes: boolean;
} {
  if (ConditionCheck !== undefined) throw new Error('ConditionCheck is not supported');
  return { write: (Put ?? Update ?? Delete ?? {}) as Write, deletes: Delete !== undefined };
}

function readKeys(item: Item): [string, string] {
  return [item[TABLE.partitionKey]?.S ?? '', item[TABLE.sortKey]?.S ?? ''];
}

function keyOf(item: Item): Item {
  const [partition, sort] = readKeys(item);
  return { [TABLE.partitionKey]: { S: partition }, [TABLE.sortKey]: { S: sort } };
}

function withConsumedCapacity(answer: object, units: number): object {
  return { ...answer, ConsumedCapacity: { CapacityUnits: units } };
}
