import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { CONFIG_FILE } from '#shared/config/names.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import { announce, withdrawAnnouncement } from '../../aws/engines/announcement.ts';
import type { DataFolder } from '../../aws/engines/data-folder.ts';
import type { VirtualClock } from '../../aws/functions/virtual-clock.ts';
import { type LocalAws, startExpiry, startLocalAws } from '../../aws/local-aws.ts';
import { type MailGroup, subscribeMailboxes } from '../../receivers/mail.ts';
import {
  openReceivedIds,
  type ReceivedIds,
  type ReceiverOptions,
  type Receivers,
  startReceivers,
} from '../../receivers/server.ts';
import { keepTime, openSimulation } from '../../source/simulated-time.ts';
import type { RunOptions, SourceChoice } from '../options.ts';
import type { LogPosition } from '../output/attempts.ts';
import type { FindNames } from '../terminal/teller.ts';
import { subscribeConsole } from './delivery.ts';
import { openRunNames } from './names.ts';
import { type Polling, readPolling } from './polling.ts';
import { type RedirectedWebhook, type Redirection, redirect } from './redirect.ts';
import { openSigningSecrets } from './signing-secrets.ts';

const RECEIVED_FILE = 'received.db';

/** The source, the local AWS with the template, and the subscriptions of the run to its topics. */
export interface Machine {
  readonly aws: LocalAws;
  readonly source: Source;
  readonly polling: Polling;
  readonly webhooks: readonly RedirectedWebhook[];
  /** What the functions read. */
  readonly config: DeployedConfig;
  /** Whom events are about, as far as the config shows names. */
  readonly names: FindNames;
  /** What the terminal and the receivers have shown. */
  readonly received: ReceivedIds;
  /** Whether alerts are delivered in this run; otherwise they wait in the data folder. */
  readonly tellsPeople: boolean;
  readonly mails: readonly MailGroup[];
  /** Where attempts to reach the user's own receiver are logged; `null` when they are not shown. */
  readonly attempts: LogPosition | null;
  stop(): Promise<void>;
}

export interface MachineOptions {
  readonly run: RunOptions;
  readonly folder: DataFolder;
  /** Returns the folder of the cloud assembly. */
  readonly assembly: () => Promise<string>;
  readonly environment: NodeJS.ProcessEnv;
  /** Shows what people and systems receive; `null` when nothing is delivered to them in this run. */
  readonly show: ((received: Receipt) => Promise<void>) | null;
}

/** Starts a machine with its poll function warm. Stops what was started when something fails. */
export async function startMachine(options: MachineOptions): Promise<Machine> {
  const started: { stop(): Promise<void> }[] = [];
  const keep = <Service extends { stop(): Promise<void> }>(service: Service): Service => {
    started.push(service);
    return service;
  };
  const stop = async () => {
    for (const service of started.reverse()) await service.stop();
  };
  try {
    return { ...(await startServices(options, keep)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServices(
  { run, folder, assembly, environment, show }: MachineOptions,
  keep: <Service extends { stop(): Promise<void> }>(service: Service) => Service,
): Promise<Omit<Machine, 'stop'>> {
  withdrawAnnouncement(folder);
  // Before the company starts: its clock must not run during the synthesis.
  const assemblyFolder = await assembly();
  const source = keep(await startRunSource(run, folder));
  // Filled by `adapt`: the names of the secrets, and the config, are in the template.
  const secrets = new Map<string, string>();
  const redirections: Redirection[] = [];
  const received = keep(openReceived(folder));
  const receivers = show === null ? null : keep(await startReceiversOf(redirections, { received, show }));
  const signingSecret = openSigningSecrets(folder, run.webhookSecret);
  const { clock } = source;
  const adapt: Parameters<typeof startLocalAws>[0]['adapt'] = (deployment) => {
    const { connection } = readPolling(deployment, run, source.baseUrl).request;
    const configFile = folder.file(CONFIG_FILE);
    const options = { configFile, connection, receivers, webhookUrl: run.webhook, signingSecret };
    const redirection = redirect(deployment, options);
    checkWebhooks(run, redirection);
    redirections.push(redirection);
    for (const [name, value] of redirection.secrets) secrets.set(name, value);
    secrets.set(connection.secretName, source.token);
    return redirection;
  };
  const aws = keep(
    await startLocalAws({ folder, assembly: assemblyFolder, secrets, clock, environment, adapt }),
  );
  keep(startExpiry(aws, clock));
  // No function has run yet: what is logged from here on belongs to this run.
  const log: LogPosition = { file: aws.logFile, from: statSync(aws.logFile).size };
  const polling = readPolling(aws.deployment, run, source.baseUrl);
  aws.warm([polling.functionName]);
  await subscribeConsole(aws, polling.topicArns);
  const { endpoints } = aws;
  const mails = await subscribeMailboxes(aws, aws.deployment.mailboxes);
  const tellsPeople = receivers !== null;
  const { connection } = polling.request;
  const place = { endpoints, assembly: assemblyFolder, clock, connection };
  keep(announce(folder, { ...place, tellsPeople }));
  const attempts = tellsPeople && run.webhook !== null ? log : null;
  const [redirection] = redirections;
  if (redirection === undefined) throw new Error('the template was not adapted');
  const { webhooks, config } = redirection;
  const kinds = config.people.names;
  const names = keep(openRunNames(aws, { connection: connection.name, kinds })).find;
  return { aws, source, polling, webhooks, config, names, received, mails, attempts, tellsPeople };
}

/** `redirections` may be filled later. */
async function startReceiversOf(
  redirections: readonly Redirection[],
  options: Omit<ReceiverOptions, 'secretOf'>,
): Promise<Receivers> {
  const secretOf = (webhook: string) =>
    redirections.flatMap(({ webhooks }) => webhooks).find(({ name }) => name === webhook)?.secret;
  return await startReceivers({ secretOf, ...options });
}

function openReceived(folder: DataFolder): ReceivedIds & { stop(): Promise<void> } {
  const received = openReceivedIds(folder.file(RECEIVED_FILE));
  return { ...received, stop: async () => received.close() };
}

function checkWebhooks({ webhook }: RunOptions, { webhooks }: Redirection): void {
  if (webhook === null || webhooks.length > 0) return;
  throw new NotifierError(
    'options_wrong',
    `--webhook ${webhook}: the config has no webhook to send; add one to webhooks in notifier.config.ts`,
  );
}

const KIND_FILE = 'source';
const SECRET_BYTES = 24;

/** A real source, or the sample company in this process. */
interface Source {
  readonly baseUrl: string;
  readonly token: string;
  /** The clock of the run; `null` for real time. */
  readonly clock: VirtualClock | null;
  stop(): Promise<void>;
}

/**
 * The source of a run: a real one, or the sample company in this process. Throws a `NotifierError` when the data folder
 * holds the other kind, because every record would then be reported as removed.
 */
async function startRunSource(options: RunOptions, folder: DataFolder): Promise<Source> {
  claimFolder(folder, options.source.kind);
  const { source, timeZone } = options;
  if (source.kind === 'remote') return { ...source, clock: null, stop: async () => {} };
  const { speed } = source;
  const simulation = openSimulation(folder, timeZone);
  // Imported late: a run against a real source does not need the emulator.
  const { startSource } = await import('#local/source/server.ts');
  const { seed, startsAt, resumeAt, calendars } = simulation;
  const running = await startSource({
    ...{ seed, startsAt, resumeAt, calendars, timeZone, speed },
    // Of this run: the one that the emulator has by default is known to everybody.
    token: randomBytes(SECRET_BYTES).toString('base64url'),
  });
  const keeper = keepTime(folder, simulation, { now: running.now, speed });
  return {
    baseUrl: running.baseUrl,
    token: running.token,
    clock: { startsAtMs: running.now(), anchorMs: Date.now(), speed },
    stop: async () => {
      keeper.stop();
      await running.close();
    },
  };
}

function claimFolder(folder: DataFolder, kind: SourceChoice['kind']): void {
  const file = folder.file(KIND_FILE);
  if (!existsSync(file)) {
    writeFileSync(file, kind);
    return;
  }
  if (readFileSync(file, 'utf8') === kind) return;
  const known = kind === 'remote' ? 'the sample company' : 'a real source';
  throw new NotifierError(
    'data_folder_differs',
    `data folder ${folder.path} belongs to ${known}; name another folder with --data`,
  );
}
