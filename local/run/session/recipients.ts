import { setTimeout as delay } from 'node:timers/promises';
import type { QueueReader } from '#local/aws/functions/queue-messages.ts';
import type { QueueBacklog } from '#local/aws/functions/running-functions.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { readMails } from '#local/receivers/mail.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import { readAttempts } from '../output/attempts.ts';
import type { SeenEvents } from '../output/seen-events.ts';
import type { BackgroundJobs } from './jobs.ts';
import type { Machine } from './machine.ts';
import { isOfAlerts } from './redirect.ts';

const IDLE_CHECK_INTERVAL_MS = 25;
/** Backlogs are counted less often: counting thousands of messages slows their delivery. */
const COUNT_INTERVAL_MS = 1_000;
/** A drain gives up after this long without a delivery. */
const MAX_STALL_MS = 30_000;

/** The people and systems a run delivers to. Pending messages are delivered before the run ends. */
export interface Recipients {
  /**
   * Delivers everything now, whether due or not. Returns whether nothing is pending but retries. Waits as long as queues
   * get shorter; gives up after 30 seconds without progress, or when `signal` aborts.
   */
  drain(signal: AbortSignal): Promise<boolean>;
  /** Undelivered messages by queue. */
  undelivered(): readonly QueueBacklog[];
  /** Shows the remaining mails and attempts and stops reading; `signal` ends it early. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Rejects when a message cannot be shown. */
  readonly failed: Promise<never>;
}

export interface RecipientsOptions {
  readonly machine: Machine;
  readonly jobs: Pick<BackgroundJobs, 'releaseAll'>;
  readonly show: (received: Receipt) => Promise<void>;
  readonly events: Pick<SeenEvents, 'describe'>;
  /** Default: real time. */
  readonly time?: DrainClock;
}

interface DrainClock {
  now(): number;
  pause(milliseconds: number): Promise<unknown>;
}

const REAL_TIME: DrainClock = { now: () => performance.now(), pause: delay };

export function openRecipients({
  machine,
  jobs,
  show,
  events,
  time = REAL_TIME,
}: RecipientsOptions): Recipients {
  const { aws, mails, attempts, tellsPeople, polling } = machine;
  const read = tellsPeople ? mails : [];
  const readers: QueueReader[] = [
    ...read.map((group) => readMails(aws, group, show)),
    ...(attempts === null ? [] : [readAttempts(attempts, show, events)]),
  ];
  const failed = Promise.race([...readers.map((reader) => reader.failed), new Promise<never>(() => {})]);
  // Not an unhandled rejection when nobody waits for it yet.
  failed.catch(() => {});
  // What starts a poll is for nobody.
  const delivers = (name: string) => name !== polling.functionName;
  const collectors = new Set(aws.deployment.functions.filter(isOfAlerts).map(({ name }) => name));
  return {
    failed,
    drain: async (signal) => {
      const collected = await waitUntilIdle(aws, { chosen: (name) => collectors.has(name), signal, time });
      if (!collected) return false;
      await jobs.releaseAll();
      return await waitUntilIdle(aws, { chosen: delivers, signal, time });
    },
    undelivered: () => aws.backlog(delivers),
    finish: async (signal) => {
      await Promise.all(readers.map((reader) => reader.finish(signal)));
    },
  };
}

interface IdleWait {
  readonly chosen: (functionName: string) => boolean;
  readonly signal: AbortSignal;
  readonly time: DrainClock;
}

/** Returns whether the chosen functions became idle. False when `signal` aborts or their queues stop getting shorter. */
async function waitUntilIdle(aws: LocalAws, { chosen, signal, time }: IdleWait): Promise<boolean> {
  let shortest = Number.POSITIVE_INFINITY;
  let progressAt = time.now();
  let countAt = progressAt;
  while (!signal.aborted) {
    if (aws.idle(chosen)) return true;
    if (time.now() >= countAt) {
      const messages = aws.backlog(chosen).reduce((sum, queue) => sum + queue.messages, 0);
      if (messages < shortest) progressAt = time.now();
      else if (time.now() - progressAt >= MAX_STALL_MS) return false;
      shortest = Math.min(shortest, messages);
      countAt = time.now() + COUNT_INTERVAL_MS;
    }
    await time.pause(IDLE_CHECK_INTERVAL_MS);
  }
  return false;
}
