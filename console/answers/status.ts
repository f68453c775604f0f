/** How things stand, for the top of each page. Instants in milliseconds since 1970. */
export interface Status {
  /** By the clock of the notifier: simulated with the sample company. */
  readonly now: number;
  /** Seconds of that clock for each real second. */
  readonly speed: number;
  readonly timeZone: string;
  /** A data folder on which nothing runs. */
  readonly isStopped: boolean;
  /** Why nothing can be read now, as a sentence; null while it can. */
  readonly trouble: string | null;
  readonly connections: readonly ConnectionStatus[];
}

export interface ConnectionStatus {
  readonly connection: string;
  readonly serviceName: string;
  /** When the dates around today were looked at last; null before that. */
  readonly seenAt: number | null;
  /** That is longer ago than it should be. */
  readonly isLate: boolean;
  /** Null while the source answers. */
  readonly unreachableSince: number | null;
}
