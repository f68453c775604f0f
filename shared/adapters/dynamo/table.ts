import {
  type ConsumedCapacity,
  type DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { computeBackoff, WAITS } from '../../core/waits.ts';
import { classifyError, type TableFailure, throttledError } from './errors.ts';

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
   * Processes parts, up to 4 concurrently. `work` returns what is left of its part, or null; the rest is tried again
   * after a pause. Throws `store_throttled` when something is left after 8 tries.
   */
  async inParts<Part>(parts: readonly Part[], work: (part: Part) => Promise<Part | null>): Promise<void> {
    const waiting = [...parts];
    const worker = async () => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
        await this.#finish(part, work);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_REQUESTS, parts.length) }, worker));
  }

  async #finish<Part>(part: Part, work: (part: Part) => Promise<Part | null>): Promise<void> {
    let rest: Part | null = part;
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
