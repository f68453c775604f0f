import { setTimeout as delay } from 'node:timers/promises';
import type { QueueReader } from '#local/aws/queue-messages.ts';
import type { ReceivedMessage } from '#local/receivers/gutter.ts';
import { readMails } from '#local/receivers/mail.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { readAttempts } from './attempts.ts';
import type { Chores } from './chores.ts';
import type { Machine } from './machine.ts';

const LOOK_EVERY_MS = 25;

/** People and systems that a run tells: what is on its way to them is brought to them before the run ends. */
export interface Audience {
  /**
   * Brings everybody what has been told so far, whether its time has come or not. Answers whether nothing is on its
   * way any more, save what waits for another try; `signal` ends the waiting.
   */
  drain(signal: AbortSignal): Promise<boolean>;
  /** Shows the mails and the attempts that there are, and no more; `signal` ends it earlier. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Rejects when one of them cannot be shown. */
  readonly failed: Promise<never>;
}

export interface AudienceOptions {
  readonly machine: Machine;
  readonly chores: Chores;
  readonly show: (message: ReceivedMessage) => Promise<void>;
}

export function openAudience({ machine, chores, show }: AudienceOptions): Audience {
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
      const collected = await settled(() => aws.idle((name) => collectors.has(name)), signal);
      if (!collected) return false;
      await chores.releaseAll();
      return settled(() => aws.idle(() => true), signal);
    },
    finish: async (signal) => {
      await Promise.all(readers.map((reader) => reader.finish(signal)));
    },
  };
}

/** Whether something came to be so before the signal. */
async function settled(isSo: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isSo()) return true;
    await delay(LOOK_EVERY_MS);
  }
  return false;
}
