import { setTimeout as delay } from 'node:timers/promises';
import type { QueueReader } from '#local/aws/functions/queue-messages.ts';
import type { QueueBacklog } from '#local/aws/functions/running-functions.ts';
import { readMails } from '#local/receivers/mail.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import type { BackgroundJobs } from './jobs.ts';
import type { Machine } from './machine.ts';
import { isOfAlerts } from './redirect.ts';

const IDLE_CHECK_INTERVAL_MS = 25;

/** The people and systems a run delivers to. Pending messages are delivered before the run ends. */
export interface Recipients {
  /** Delivers everything now, whether due or not, but for what was refused and is tried again later; `signal` ends it. */
  drain(signal: AbortSignal): Promise<void>;
  /** Undelivered messages by queue. */
  undelivered(): readonly QueueBacklog[];
  /** Shows the remaining mails and stops reading; `signal` ends it early. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Rejects when a message cannot be shown. */
  readonly failed: Promise<never>;
}

export interface RecipientsOptions {
  readonly machine: Machine;
  readonly jobs: Pick<BackgroundJobs, 'releaseAll'>;
  readonly show: (received: Receipt) => Promise<void>;
}

export function openRecipients({ machine, jobs, show }: RecipientsOptions): Recipients {
  const { aws, mails, tellsPeople, polling } = machine;
  const readers: QueueReader[] = (tellsPeople ? mails : []).map((group) => readMails(aws, group, show));
  const failed = Promise.race([...readers.map((reader) => reader.failed), new Promise<never>(() => {})]);
  // Not an unhandled rejection when nobody waits for it yet.
  failed.catch(() => {});
  // What starts a poll is for nobody.
  const delivers = (name: string) => name !== polling.functionName;
  const collectors = new Set(aws.deployment.functions.filter(isOfAlerts).map(({ name }) => name));
  const becomeIdle = async (chosen: (functionName: string) => boolean, signal: AbortSignal) => {
    while (!signal.aborted && !aws.idle(chosen)) await delay(IDLE_CHECK_INTERVAL_MS);
  };
  return {
    failed,
    drain: async (signal) => {
      await becomeIdle((name) => collectors.has(name), signal);
      if (signal.aborted) return;
      await jobs.releaseAll();
      await becomeIdle(delivers, signal);
    },
    undelivered: () => aws.backlog(delivers),
    finish: async (signal) => {
      await Promise.all(readers.map((reader) => reader.finish(signal)));
    },
  };
}
