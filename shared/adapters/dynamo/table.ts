import {
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  type DynamoDBClient,
  DynamoDBServiceException,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { NotifierError } from '#shared/core/errors.ts';
import { computeBackoff, WAITS } from '../../core/waits.ts';

/** Concurrent requests of one operation. */
const MAX_CONCURRENT_REQUESTS = 4;

/** Read or write units that one request consumed. */
export interface Capacity {
  readonly operation: string;
  readonly kind: 'read' | 'write';
  readonly units: number;
}

export interface TableOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Called after every request. Without it, requests do not ask for their consumed capacity. */
  readonly onCapacity?: (capacity: Capacity) => void;
}

interface Answer {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[] | undefined;
}

/** One request. `operation` and `kind` are for `onCapacity`. */
export interface TableRequest<Output extends Answer> {
  readonly operation: string;
  readonly kind: Capacity['kind'];
  /** Retries while a transaction of another writer holds an item. Without it, that is a conflict. */
  readonly retryOnContention?: true;
  readonly send: (client: DynamoDBClient) => Promise<Output>;
}

export type TableOutcome<Output> =
  | { readonly outcome: 'done'; readonly output: Output }
  | { readonly outcome: 'conflict' };

/** Sends requests to the table, retries those that may succeed later, and turns failures into `NotifierError`. */
export class Table {
  readonly name: string;
  /** Members of every request to one item. */
  readonly settings: { readonly TableName: string; readonly ReturnConsumedCapacity: 'TOTAL' | 'NONE' };
  readonly #options: TableOptions;
  #timesMissing = 0;

  constructor(options: TableOptions) {
    this.#options = options;
    this.name = options.tableName;
    this.settings = {
      TableName: options.tableName,
      ReturnConsumedCapacity: options.onCapacity === undefined ? 'NONE' : 'TOTAL',
    };
  }

  /** How often the table was missing. A table that exists after that may be another one. */
  get timesMissing(): number {
    return this.#timesMissing;
  }

  /**
   * Sends a request. The outcome is `conflict` when its condition does not hold or another writer holds an item. Throws
   * `NotifierError`: `store_throttled` (retryable, after 8 tries), `store_unreachable` (retryable),
   * `store_table_missing`, `store_rejected`.
   */
  async attempt<Output extends Answer>(request: TableRequest<Output>): Promise<TableOutcome<Output>> {
    for (let tries = 1; ; tries += 1) {
      try {
        const output = await request.send(this.#options.client);
        this.#count(request, output);
        return { outcome: 'done', output };
      } catch (cause) {
        const failure = this.#classifyError(cause);
        if (failure.kind === 'conflict') return { outcome: 'conflict' };
        if (failure.kind === 'contended' && request.retryOnContention !== true)
          return { outcome: 'conflict' };
        if (failure.kind === 'final' || tries >= WAITS.table.tries) throw failure.error;
        await this.#pause(tries);
      }
    }
  }

  /** Sends a request without conditions: other writers can delay it, but there is no conflict. Throws as `attempt`. */
  async send<Output extends Answer>(request: TableRequest<Output>): Promise<Output> {
    const result = await this.attempt({ ...request, retryOnContention: true });
    if (result.outcome === 'done') return result.output;
    throw throttledError(this.name);
  }

  #classifyError(cause: unknown): TableFailure {
    if (cause instanceof ResourceNotFoundException) this.#timesMissing += 1;
    return classifyError(cause, this.name);
  }

  /**
   * Processes batches, up to 4 concurrently. `work` returns what is left of its batch, or null; the rest is tried again
   * after a pause. Throws `store_throttled` when something is left after 8 tries.
   */
  async inBatches<Batch>(
    batches: readonly Batch[],
    work: (batch: Batch) => Promise<Batch | null>,
  ): Promise<void> {
    const waiting = [...batches];
    const worker = async () => {
      for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift())
        await this.#finish(batch, work);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_REQUESTS, batches.length) }, worker));
  }

  async #finish<Batch>(batch: Batch, work: (batch: Batch) => Promise<Batch | null>): Promise<void> {
    let rest: Batch | null = batch;
    for (let tries = 1; tries <= WAITS.table.tries; tries += 1) {
      rest = await work(rest);
      if (rest === null) return;
      await this.#pause(tries);
    }
    throw throttledError(this.name);
  }

  async #pause(tries: number): Promise<void> {
    await this.#options.sleep(this.#options.random() * computeBackoff(tries, WAITS.table));
  }

  #count(
    { operation, kind }: Pick<Capacity, 'operation' | 'kind'>,
    { ConsumedCapacity: consumed }: Answer,
  ): void {
    const { onCapacity } = this.#options;
    if (onCapacity === undefined || consumed === undefined) return;
    const all = [consumed].flat() as readonly ConsumedCapacity[];
    const units = all.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    onCapacity({ operation, kind, units });
  }
}

/** What the failure of a request means. */
type TableFailure =
  /** Another writer was first. */
  | { readonly kind: 'conflict' }
  /** A transaction of another writer holds the item now. */
  | { readonly kind: 'contended'; readonly error: NotifierError }
  /** Throttled: a retry may succeed. */
  | { readonly kind: 'busy'; readonly error: NotifierError }
  | { readonly kind: 'final'; readonly error: NotifierError };

/** Reasons of a cancelled transaction. */
const CONDITION_FAILED = 'ConditionalCheckFailed';
const CONTENDED = 'TransactionConflict';
const THROTTLING_REASONS = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
const THROTTLING_NAMES = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/** Classifies an error of a request. Throws a programming error again: it must not look like a failure of DynamoDB. */
function classifyError(cause: unknown, tableName: string): TableFailure {
  if (cause instanceof TypeError || cause instanceof RangeError || cause instanceof NotifierError)
    throw cause;
  if (isConflict(cause)) return { kind: 'conflict' };
  if (isContended(cause)) return { kind: 'contended', error: throttledError(tableName, cause) };
  if (isThrottling(cause)) return { kind: 'busy', error: throttledError(tableName, cause) };
  if (cause instanceof ResourceNotFoundException) {
    return {
      kind: 'final',
      error: new NotifierError(
        'store_table_missing',
        `there is no table "${tableName}"; deploy the stack that creates it, or correct TABLE_NAME`,
        { cause },
      ),
    };
  }
  if (cause instanceof DynamoDBServiceException && cause.$fault === 'client') {
    return { kind: 'final', error: rejectedError(tableName, cause) };
  }
  return {
    kind: 'final',
    error: new NotifierError(
      'store_unreachable',
      `table "${tableName}" does not answer (${nameOf(cause)}); nothing is lost, the next run continues from what is stored`,
      { cause, retryable: true },
    ),
  };
}

function throttledError(tableName: string, cause?: unknown): NotifierError {
  return new NotifierError(
    'store_throttled',
    `DynamoDB throttles table "${tableName}"; raise its capacity limits if this continues`,
    { cause, retryable: true },
  );
}

function rejectedError(tableName: string, cause: DynamoDBServiceException): NotifierError {
  const reasons = reasonsOf(cause);
  const why = reasons.length === 0 ? cause.name : `${cause.name}: ${reasons.join(', ')}`;
  const mend =
    cause.name === 'AccessDeniedException'
      ? 'grant its role access to the table'
      : 'check the keys of the table and the size of the items';
  return new NotifierError(
    'store_rejected',
    `DynamoDB rejected a request to table "${tableName}" (${why}); ${mend}`,
    {
      cause,
    },
  );
}

function isConflict(cause: unknown): boolean {
  return cause instanceof ConditionalCheckFailedException || reasonsOf(cause).includes(CONDITION_FAILED);
}

function isContended(cause: unknown): boolean {
  return cause instanceof TransactionConflictException || reasonsOf(cause).includes(CONTENDED);
}

function isThrottling(cause: unknown): boolean {
  if (cause instanceof TransactionInProgressException) return true;
  const reasons = reasonsOf(cause);
  if (reasons.length > 0) return reasons.every((reason) => THROTTLING_REASONS.has(reason));
  return THROTTLING_NAMES.has(nameOf(cause));
}

/** Codes of why a transaction was cancelled, one for each item that caused it. */
function reasonsOf(cause: unknown): string[] {
  if (!(cause instanceof TransactionCanceledException)) return [];
  return (cause.CancellationReasons ?? []).flatMap(({ Code }) =>
    Code === undefined || Code === 'None' ? [] : [Code],
  );
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : 'unknown error';
}
