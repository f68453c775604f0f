import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { toVirtualTime } from '#local/aws/functions/virtual-clock.ts';
import { type LocalAws, startLocalAws } from '#local/aws/local-aws.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { subscribeMailboxes } from '#local/receivers/mail.ts';
import { openReceivedIds, startReceivers } from '#local/receivers/server.ts';
import { createBackgroundJobs } from '#local/run/session/jobs.ts';
import { type Machine, readSigningSecret } from '#local/run/session/machine.ts';
import { readPolling } from '#local/run/session/polling.ts';
import { openRecipients } from '#local/run/session/recipients.ts';
import { redirect } from '#local/run/session/redirect.ts';
import type { RunningSource } from '#local/source/server.ts';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { CONFIG_FILE } from '#shared/config/names.ts';
import { pollReportSchema } from '#shared/config/requests/poll-report.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import { receivedText } from '#test/support/received-text.ts';
import { MORNING } from '../company.ts';
import { createInbox, type Inbox } from '../inbox.ts';
import { createClock, createDataFolder, ENVIRONMENT, RUN } from '../stage.ts';

const CONFIG = fileURLToPath(new URL('./people.config.ts', import.meta.url));

/** The notifier with a template that has alerts and a webhook, and receivers that store messages. */
export interface PeopleStage {
  readonly aws: LocalAws;
  /** The messages of Slack, mailboxes and webhooks as printed. */
  readonly shown: readonly string[];
  readonly inbox: Inbox;
  readonly dataFolder: string;
  /** Secret of the webhook. */
  readonly secret: string;
  /** Polls the whole window without waiting for deliveries. */
  poll(): Promise<void>;
  /** Polls the whole window, delivers everything, and returns the messages shown meanwhile. */
  tell(): Promise<readonly string[]>;
  log(): string;
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

export interface PeopleOptions {
  readonly source: RunningSource;
  readonly dataFolder?: string;
  /** Milliseconds that have passed in the functions' time since the stage's morning. */
  readonly laterMs?: number;
  /** URL of another webhook receiver. */
  readonly webhookUrl?: string;
  /** Path of another config. */
  readonly config?: string;
  /** URL of another receiver of Slack messages. */
  readonly slackUrl?: string;
}

/** The template with alerts, synthesized once for a state of the code. */
export async function synthesizePeople(config = CONFIG): Promise<string> {
  vi.stubEnv('NOTIFIER_CONFIG', config);
  const assembly = await synthesize(() => {});
  vi.unstubAllEnvs();
  return assembly;
}

export async function startPeopleStage(options: PeopleOptions): Promise<PeopleStage> {
  const { source, dataFolder = createDataFolder(), laterMs = 0, webhookUrl } = options;
  const assembly = await synthesizePeople(options.config);
  const folder = await openDataFolder(dataFolder);
  const received = openReceivedIds(folder.file('received.db'));
  const shown: string[] = [];
  const show = async (received: Receipt) => void shown.push(receivedText(received));
  const signingSecret = readSigningSecret(folder);
  const receivers = await startReceivers({ signingSecret, received, show });
  const slackAddress = (channel: string) =>
    options.slackUrl === undefined ? receivers.slackAddress(channel) : `${options.slackUrl}/${channel}`;
  const webhookAddress = (webhook: string) => webhookUrl ?? receivers.webhookAddress(webhook);
  const secrets = new Map<string, string>();
  const configFile = folder.file(CONFIG_FILE);
  const clock = createClock(MORNING + laterMs);
  const aws = await startLocalAws({
    ...{ folder, assembly, secrets, clock, environment: ENVIRONMENT },
    adapt: (deployment) => {
      const { connection } = readPolling(deployment, RUN, source.baseUrl).request;
      const redirection = redirect(deployment, {
        ...{ configFile, connection, signingSecret },
        receivers: { ...receivers, slackAddress, webhookAddress },
      });
      for (const [name, value] of redirection.secrets) secrets.set(name, value);
      secrets.set(connection.secretName, source.token);
      return redirection;
    },
  });
  const polling = readPolling(aws.deployment, RUN, source.baseUrl);
  const mails = await subscribeMailboxes(aws, aws.deployment.mailboxes);
  const config: DeployedConfig = JSON.parse(readFileSync(configFile, 'utf8'));
  const machine: Machine = {
    ...{ aws, polling, config, signingSecret, received, mails, tellsPeople: true },
    names: async () => NO_NAMES,
    source: { ...source, clock, stop: source.close },
    stop: aws.stop,
  };
  const notes = { say: (text: string) => void shown.push(text), progress: () => {} };
  const jobs = createBackgroundJobs({ machine, notes, stopping: new AbortController().signal });
  const inbox = await createInbox(aws);
  const poll = async () => {
    const request = { ...polling.request, freshSince: Math.floor(toVirtualTime(clock, Date.now())) };
    pollReportSchema.parse(await aws.invoke(polling.functionName, request));
  };
  return {
    aws,
    shown,
    inbox,
    dataFolder,
    secret: signingSecret,
    poll,
    tell: async () => {
      const before = shown.length;
      await poll();
      const recipients = openRecipients({ machine, jobs, show });
      await recipients.drain(new AbortController().signal);
      await recipients.finish();
      return shown.slice(before);
    },
    log: () => readFileSync(aws.logFile, 'utf8'),
    stop: async ({ keep = false } = {}) => {
      await aws.stop();
      await receivers.stop();
      received.close();
      folder.release();
      if (!keep) rmSync(dataFolder, { recursive: true });
    },
  };
}
