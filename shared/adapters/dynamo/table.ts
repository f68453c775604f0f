import {
  type ConsumedCapacity,
  type DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { type Backoff, computeBackoff } from '../../core/backoff.ts';
import type { NotifierError } from '../../core/errors.ts';
import { classifyError, type TableFailure, throttledError } from './errors.ts';

/** First wait before something is tried again; doubles with every further try, of which a random part is waited. */
const RETRY_BACKOFF: Backoff = { firstMs: 50, maxMs: 2_000 };
const MAX_TRIES = 8;
/** Requests of one operation that are on their way at the same time. */
const MAX_CONCURRENT_REQUESTS = 4;

/** What one request cost, in read or write units. */
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
  /** Told what every request costs; without it, costs are not asked for. */
  readonly onCapacity?: (capacity: Capacity) => void;
}

/** What every answer of DynamoDB may carry. */
interface Answer {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[] | undefined;
}

/** One question or write; the operation says its name and kind to whoever counts costs. */
export interface TableRequest<Output extends Answer> {
  readonly operation: string;
  readonly kind: Capacity['kind'];
  /** Somebody else's transaction on the same item is waited for; without it, it is a conflict. */
  readonly retryOnContention?: true;
  readonly send: (client: DynamoDBClient) => Promise<Output>;
}

export type TableOutcome<Output> =
  | { readonly outcome: 'done'; readonly output: Output }
  | { readonly outcome: 'conflict' };

/** The table: sends requests, tries again what is worth it, and turns failures into errors of ours. */
export class Table {
  readonly name: string;
  /** Goes into every request. */
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

  /** Times that the table was not there: what is there now may be another one. */
  get timesMissing(): number {
    return this.#timesMissing;
  }

  /**
   * Sends a request; a condition that does not hold, or a writer in the way, is the outcome `conflict`. Throws
   * `NotifierError`: `store_throttled` (retryable, after some tries), `store_unreachable` (retryable),
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
        if (failure.kind === 'final' || tries >= MAX_TRIES) throw failure.error;
        await this.#pause(tries);
      }
    }
  }

  /** Sends a request without conditions, which others can hold up but not refuse. */
  async send<Output extends Answer>(request: TableRequest<Output>): Promise<Output> {
    const result = await this.attempt({ ...request, retryOnContention: true });
    if (result.outcome === 'done') return result.output;
    throw this.#exhausted();
  }

  #classifyError(cause: unknown): TableFailure {
    if (cause instanceof ResourceNotFoundException) this.#timesMissing += 1;
    return classifyError(cause, this.name);
  }

  /**
   * Works through parts, a few at the same time. A part may come back unfinished, and its rest is tried again after
   * a pause. Throws `store_throttled` when some never finish.
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
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      rest = await work(rest);
      if (rest === null) return;
      await this.#pause(tries);
    }
    throw this.#exhausted();
  }

  /** Waits a random part of a time that doubles with every try. */
  async #pause(tries: number): Promise<void> {
    await this.#options.sleep(this.#options.random() * computeBackoff(tries, RETRY_BACKOFF));
  }

  #exhausted(): NotifierError {
    return throttledError(this.name);
  }

  #count(
    { operation, kind }: Pick<Capacity, 'operation' | 'kind'>,
    { ConsumedCapacity: consumed }: Answer,
  ): void {
    const { onCapacity } = this.#options;
    if (onCapacity === undefined || consumed === undefined) return;
    const all = [consumed].flat() as readonly ConsumedCapacity[];
    onCapacity({
      operation,
      kind,
      units: all.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0),
    });
  }
}
