import type * as z from 'zod';
import type { OperationType } from '../event-types.ts';

/** What subscribers can rely on of a type of event. */
export interface EventContract {
  /** One sentence, for documents. */
  readonly meaning: string;
  /** What causes it, in Markdown; absent where the fields of the source do that `FeedDefinition` names. */
  readonly cause?: string;
  /** Schema of its `data`. */
  readonly data: z.ZodObject;
}

/** How alerts treat a type of event. It holds no sentence, so that whoever sends messages holds none. */
export interface AlertNews {
  /** What the title of a digest counts: a noun, what happened to it, and the noun of several unless that ends in `s`. */
  readonly counted: readonly [noun: string, what: string, nouns?: string];
  /** Distinct records are counted; without it, every alert. */
  readonly countsRecords?: true;
  /** A heading without names, where there is no room for them. */
  readonly plain?: string;
  /** When the default rules send it; `late`: after processing or close. */
  readonly byDefault?: 'always' | 'urgent' | 'late';
  /** The trouble that it ends: who was told of that is told of this. */
  readonly ends?: OperationType;
  /** Of several lists of a connection it is said in one line. */
  readonly mergesLists?: true;
  /** In a channel with threads it has none: there may be thousands. */
  readonly hasNoThread?: true;
}
