import { fileURLToPath } from 'node:url';
import { subscribeMailboxes } from '#local/receivers/mail.ts';
import { openReceivedIds, startReceivers } from '#local/receivers/server.ts';
import { createBackgroundJobs } from '#local/run/session/jobs.ts';
import type { Machine } from '#local/run/session/machine.ts';
import { openRecipients } from '#local/run/session/recipients.ts';
import { type Redirection, redirect } from '#local/run/session/redirect.ts';
import { CONFIG_FILE } from '#shared/config/names.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import { receivedText } from '#test/support/received-text.ts';
import { createClock, type Stage, type StageOptions, startStage } from '../stage.ts';

const CONFIG = fileURLToPath(new URL('./people.config.ts', import.meta.url));
/** Of the webhook. */
const SIGNING_SECRET = `whsec_${Buffer.alloc(24, 'stage').toString('base64')}`;

/** The notifier with people and systems, and receivers that store what they get. */
export interface PeopleStage extends Omit<Stage, 'tell'> {
  /** The messages of chats, mailboxes and webhooks as printed. */
  readonly shown: readonly string[];
  /** Secret of the webhook. */
  readonly secret: string;
  /** Polls the whole window, delivers everything, and returns the messages shown meanwhile. */
  tell(): Promise<readonly string[]>;
}

export interface PeopleOptions extends Pick<StageOptions, 'source'> {
  /** URL of another webhook receiver. */
  readonly webhookUrl?: string;
  /** URL of another receiver of Slack messages, below which a channel has its name. */
  readonly slackUrl?: string;
}

export async function startPeopleStage(options: PeopleOptions): Promise<PeopleStage> {
  const { source, webhookUrl, slackUrl } = options;
  const received = openReceivedIds(':memory:');
  const shown: string[] = [];
  const show = async (received: Receipt) => void shown.push(receivedText(received));
  const receivers = await startReceivers({ signingSecret: SIGNING_SECRET, received, show });
  const slackAddress = (channel: string) =>
    slackUrl === undefined ? receivers.slackAddress(channel) : `${slackUrl}/${channel}`;
  const webhookAddress = (webhook: string) => webhookUrl ?? receivers.webhookAddress(webhook);
  let redirection: Redirection | null = null;
  const stage = await startStage({
    source,
    config: CONFIG,
    adapt: (deployment, { folder, connection, secrets }) => {
      redirection = redirect(deployment, {
        ...{ configFile: folder.file(CONFIG_FILE), connection, signingSecret: SIGNING_SECRET },
        receivers: { ...receivers, slackAddress, webhookAddress },
      });
      for (const [name, value] of redirection.secrets) secrets.set(name, value);
      return redirection;
    },
  });
  const { aws, polling } = stage;
  const { config } = redirection as unknown as Redirection;
  const machine: Machine = {
    ...{ aws, polling, config, signingSecret: SIGNING_SECRET, received, tellsPeople: true },
    mails: await subscribeMailboxes(aws, aws.deployment.mailboxes),
    names: async () => NO_NAMES,
    source: { ...source, clock: createClock(stage.now()), stop: source.close },
    stop: aws.stop,
  };
  const notes = { say: (text: string) => void shown.push(text), progress: () => {} };
  const { signal } = new AbortController();
  const jobs = createBackgroundJobs({ machine, notes, stopping: signal });
  return {
    ...stage,
    shown,
    secret: SIGNING_SECRET,
    tell: async () => {
      const before = shown.length;
      await stage.poll();
      const recipients = openRecipients({ machine, jobs, show });
      await recipients.drain(signal);
      await recipients.finish();
      return shown.slice(before);
    },
    stop: async () => {
      await stage.stop();
      await receivers.stop();
      received.close();
    },
  };
}
