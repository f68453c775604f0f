import { isChat } from './schema/chat-kind.ts';

/** Lambda has no smaller bound for the messages of a standard queue. */
const MIN_BOUND = 2;
/** More makes nothing faster: it is enough for a bulk approval, and endpoints like few requests at once. */
const MAX_BOUND = 5;

/**
 * Of a connection at once: a poll of timesheets, one beside it that reads only the hot dates while the first is at work
 * (any further one ends at once), and one of pay periods.
 */
const MAX_POLLS = 3;
/**
 * Deliveries are checked every quarter of an hour, and the directory is polled every 20 minutes, for seconds: they can
 * wait for each other.
 */
const RARE_RUNS = 1;
/** Alerts are released by one run a minute. */
const RELEASE_RUNS = 1;

interface ConcurrentConfig {
  readonly connections: readonly unknown[];
  readonly people: { readonly channels: readonly { readonly kind: string }[] };
  readonly webhooks: readonly unknown[];
  readonly poll: { readonly accountConcurrency: number };
}

interface ConcurrencyPlan {
  /** Bound of each function that processes a standard queue. A FIFO queue has one execution for each channel. */
  readonly perQueue: number;
  /** Executions at once at most, those of polls included. */
  readonly total: number;
}

/**
 * Shares the executions that an account allows. Polls, which must not wait, cannot be given a part of their own: Lambda
 * reserves nothing in a new account. So all others are bounded, such that the polls' share is left over. `total` is
 * more than the account allows when even the smallest bounds are too much.
 */
export function planConcurrency(config: ConcurrentConfig): ConcurrencyPlan {
  const { channels } = config.people;
  const chats = channels.filter(isChat).length;
  const releases = channels.length > 0 ? RELEASE_RUNS : 0;
  const unbounded = config.connections.length * MAX_POLLS + RARE_RUNS + releases + chats;
  // One queue collects alerts, and each webhook has its own.
  const queues = config.webhooks.length + (channels.length > 0 ? 1 : 0);
  const share = Math.floor((config.poll.accountConcurrency - unbounded) / Math.max(queues, 1));
  const perQueue = Math.min(MAX_BOUND, Math.max(MIN_BOUND, share));
  return { perQueue, total: unbounded + queues * perQueue };
}

/** How to ask AWS for more executions; the code is that of the quota "Concurrent executions". */
const REQUEST =
  'aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000';

/**
 * What is short when the functions can take more executions than the account allows; null when nothing is. Nothing gets
 * lost then: in a minute in which all deliver at once, a poll may start one minute later.
 */
export function describeConcurrencyShortage(config: ConcurrentConfig): string | null {
  const { accountConcurrency } = config.poll;
  const { total } = planConcurrency(config);
  if (total <= accountConcurrency) return null;
  return `poll.accountConcurrency: up to ${total} executions at once are wanted, and the account has ${accountConcurrency}, so polls may wait for webhooks and alerts; give the limit that you have (aws lambda get-account-settings shows it), or ask for a higher one, which costs nothing: ${REQUEST}`;
}
