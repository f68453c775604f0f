/** One message of a queue, as a function gets it. */
export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What became of the messages of one batch: ids of those that are to come back. */
export interface BatchResult {
  readonly failed: readonly string[];
}
