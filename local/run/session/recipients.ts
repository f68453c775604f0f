import { setTimeout as delay } from 'node:timers/promises';
import type { QueueReader } from '#local/aws/functions/queue-messages.ts';
import type { LocalAws, QueueBacklog } from '#local/aws/local-aws.ts';
import type { ReceivedMessage } from '#local/receivers/format-message.ts';
import { readMails } from '#local/receivers/mail.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { readAttempts } from '../output/attempts.ts';
import type { BackgroundJobs } from './jobs.ts';
import type { Machine } from './machine.ts';

const IDLE_CHECK_INTERVAL_MS = 25;
/** Backlogs are counted less often: with thousands of messages the counting takes time from the delivering. */
const COUNT_INTERVAL_MS = 1_000;
/** A drain gives up when for so long nothing more was delivered. */
const MAX_STALL_MS = 30_000;

/** People and systems that a run tells: what is on its way to them is brought to them before the run ends. */
export interface Recipients {
  /**
   * Brings everybody what has been told so far, whether its time has come or not. Answers whether nothing is on its
   * way any more, save what waits for another try. Waits for as long as queues become shorter; gives up when they do
   * not for 30 seconds, or when `signal` ends the waiting.
   */
  drain(signal: AbortSignal): Promise<boolean>;
  /** What has not been delivered yet, by queue. */
  undelivered(): Promise<readonly QueueBacklog[]>;
  /** Shows the mails and the attempts that there are, and no more; `signal` ends it earlier. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Rejects when one of them cannot be shown. */
  readonly failed: Promise<never>;
}

export interface RecipientsOptions {
  readonly machine: Machine;
  readonly jobs: BackgroundJobs;
  readonly show: (message: ReceivedMessage) => Promise<void>;
  /** Real time, in milliseconds; another one in tests. */
  readonly time?: DrainClock;
}

/** How a drain measures time and lets it pass. */
interface DrainClock {
  now(): number;
  pause(milliseconds: number): Promise<unknown>;
}

const REAL_TIME: DrainClock = { now: () => performance.now(), pause: delay };

export function openRecipients({ machine, jobs, show, time = REAL_TIME }: RecipientsOptions): Recipients {
  const { aws, mails, attempts, tellsPeople } = machine;
  const read = tellsPeople ? mails : [];
  const readers: QueueReader[] = [
    ...read.map((group) => readMails(aws.sqs, group, show)),
    ...(attempts === null ? [] : [readAttempts(attempts, show)]),
  ];
  const failed = Promise.race([...readers.map((reader) => reader.failed), new Promise<never>(() => {})]);
  // Whoever is interested waits for it.
  failed.catch(() => {});
  const collectors = new Set(
    aws.deployment.functions
      .filter(({ environment }) => environment[ENVIRONMENT.alerting] !== undefined)
      .map(({ name }) => name),
  );
  return {
    failed,
    drain: async (signal) => {
      const collected = await waitUntilIdle(aws, { chosen: (name) => collectors.has(name), signal, time });
      if (!collected) return false;
      await jobs.releaseAll();
      return await waitUntilIdle(aws, { chosen: () => true, signal, time });
    },
    undelivered: () => aws.backlog(() => true),
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

/** Whether the chosen functions came to have nothing to do, before the signal and while their queues got shorter. */
async function waitUntilIdle(aws: LocalAws, { chosen, signal, time }: IdleWait): Promise<boolean> {
  let shortest = Number.POSITIVE_INFINITY;
  let progressAt = time.now();
  let countAt = progressAt;
  while (!signal.aborted) {
    if (await aws.idle(chosen)) return true;
    if (time.now() >= countAt) {
      const messages = (await aws.backlog(chosen)).reduce((sum, queue) => sum + queue.messages, 0);
      if (messages < shortest) progressAt = time.now();
      else if (time.now() - progressAt >= MAX_STALL_MS) return false;
      shortest = Math.min(shortest, messages);
      countAt = time.now() + COUNT_INTERVAL_MS;
    }
    await time.pause(IDLE_CHECK_INTERVAL_MS);
  }
  return false;
}
