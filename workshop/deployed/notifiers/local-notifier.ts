import { setTimeout as wait } from 'node:timers/promises';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { queueUrl } from '#local/aws/functions/queue-messages.ts';
import { type LocalAws, startLocalAws } from '#local/aws/local-aws.ts';
import { applyQueue, applySubscription } from '#local/aws/template/apply.ts';
import { localArn } from '#local/aws/template/local-account.ts';
import { subscribeMailboxes } from '#local/receivers/mail.ts';
import { redirect } from '#local/run/session/redirect.ts';
import { CONFIG_FILE, EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import { drainQueue } from '../queues.ts';
import type { HeldClock } from '../world/clock.ts';
import type { Receiver } from '../world/receiver.ts';
import { collectArrivals, EVERYTHING_QUEUE, type Place } from './arrivals.ts';
import { type Notifier, sortSchedules } from './notifier.ts';

const CHECK_MS = 25;
/** A function may be between receiving a message and counting it: idle counts when it is seen so often in a row. */
const IDLE_CHECKS = 2;
/** So long with the same messages left. How long all take depends on the machine, and is not limited. */
const MAX_WAIT_MS = 60_000;

export interface LocalOptions {
  /** Of the assembly as it was synthesized. */
  readonly assembly: string;
  readonly dataFolder: string;
  readonly stackName: string;
  readonly clock: HeldClock;
  readonly receiver: Receiver;
  /** Of the connections, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly signingSecret: string;
  /** Names of queues of the stack and of those that it found. */
  readonly queues: readonly string[];
}

/** The notifier as `npm start` runs it, with its redirection of Slack, mail and webhooks to receivers of the test. */
export async function startLocalNotifier(options: LocalOptions): Promise<Notifier> {
  const folder = await openDataFolder(options.dataFolder);
  const aws = await startAws(options, folder);
  const schedules = sortSchedules(aws.deployment.schedules);
  const places = await openPlaces(aws, options);
  return {
    schedules,
    now: options.clock.now,
    invoke: aws.invoke,
    settle: () => waitUntilIdle(aws),
    take: () => collectArrivals({ places, receiver: options.receiver, drain: (url) => drainQueue(aws, url) }),
    stop: async () => {
      await aws.stop();
      folder.release();
    },
  };
}

async function startAws(options: LocalOptions, folder: Awaited<ReturnType<typeof openDataFolder>>) {
  const { assembly, clock, receiver, signingSecret } = options;
  const secrets = new Map(options.secrets);
  return await startLocalAws({
    folder,
    assembly,
    secrets,
    clock: null,
    environment: process.env,
    adapt: (deployment) => {
      const requests = deployment.schedules.map(({ input }) => pollRequestSchema.safeParse(input).data);
      const { connection } = requests.find((request) => request !== undefined) ?? {};
      if (connection === undefined) throw new Error('no schedule polls');
      const redirection = redirect(deployment, {
        configFile: folder.file(CONFIG_FILE),
        connection,
        receivers: receiver,
        webhookUrl: null,
        signingSecret: () => ({ secret: signingSecret, origin: 'given' }),
      });
      for (const [name, value] of redirection.secrets) secrets.set(name, value);
      return {
        ...redirection,
        adapt: (deployed) => {
          const changed = redirection.adapt(deployed);
          if (redirection.inRealTime(deployed)) return changed;
          return { ...changed, environment: { ...changed.environment, ...clock.environment } };
        },
      };
    },
  });
}

async function openPlaces(aws: LocalAws, { stackName, queues }: LocalOptions): Promise<readonly Place[]> {
  await applyQueue(aws.sqs, EVERYTHING_QUEUE, {});
  const queueArn = localArn('sqs', EVERYTHING_QUEUE);
  for (const topic of EVENT_TOPIC_NAMES) {
    const topicArn = localArn('sns', `${stackName}-${topic}`);
    await applySubscription(aws.sns, { topicArn, queueArn, attributes: { RawMessageDelivery: 'true' } });
  }
  for (const queue of queues) await applyQueue(aws.sqs, queue, {});
  const mails = await subscribeMailboxes(aws, aws.deployment.mailboxes);
  return [
    ...[EVERYTHING_QUEUE, ...queues].map((name): Place => ({ kind: 'queue', name, url: queueUrl(name) })),
    ...mails.map(
      ({ queueName, addresses }): Place => ({
        kind: 'mail',
        name: [...addresses].sort().join(' '),
        url: queueUrl(queueName),
      }),
    ),
  ];
}

async function waitUntilIdle(aws: LocalAws): Promise<void> {
  let deadline = Date.now() + MAX_WAIT_MS;
  let left = '';
  for (let seen = 0; seen < IDLE_CHECKS; ) {
    if (Date.now() > deadline) {
      const before = left;
      left = JSON.stringify(aws.backlog(() => true));
      if (left === before) throw new Error(`the local run has messages left: ${left}`);
      deadline = Date.now() + MAX_WAIT_MS;
    }
    seen = aws.idle(() => true) ? seen + 1 : 0;
    await wait(CHECK_MS);
  }
}
