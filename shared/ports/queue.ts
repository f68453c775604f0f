export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface BatchResult {
  /** Ids of the messages that the queue must deliver again. */
  readonly failed: readonly string[];
}
