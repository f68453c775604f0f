import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { replaceFile } from '#shared/adapters/system/replace-file.ts';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { CONFIG_FILE } from '#shared/config/names.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import { announce, withdrawAnnouncement } from '../../aws/engines/announcement.ts';
import type { DataFolder } from '../../aws/engines/data-folder.ts';
import type { VirtualClock } from '../../aws/functions/virtual-clock.ts';
import { type LocalAws, startLocalAws } from '../../aws/local-aws.ts';
import type { Deployment } from '../../aws/template/deployment.ts';
import { type MailGroup, subscribeMailboxes } from '../../receivers/mail.ts';
import { openReceivedIds, type ReceivedIds, startReceivers } from '../../receivers/server.ts';
import { keepTime, openSimulation } from '../../source/simulated-time.ts';
import type { RunOptions } from '../options.ts';
import type { FindNames } from '../output/teller.ts';
import { subscribeConsole } from './delivery.ts';
import { openRunNames } from './names.ts';
import { type Polling, readPolling } from './polling.ts';
import { type Redirection, redirect } from './redirect.ts';

const RECEIVED_FILE = 'received.db';

/** The source, the local AWS with the template, and the subscriptions of the run to its topics. */
export interface Machine {
  readonly aws: LocalAws;
  readonly source: Source;
  readonly polling: Polling;
  /** What the functions read. */
  readonly config: DeployedConfig;
  /** Of every webhook. */
  readonly signingSecret: string;
  /** Whom events are about, as far as the config shows names. */
  readonly names: FindNames;
  /** What the terminal and the receivers have shown. */
  readonly received: ReceivedIds;
  /** Whether alerts are delivered in this run; otherwise they wait in the data folder. */
  readonly tellsPeople: boolean;
  readonly mails: readonly MailGroup[];
  stop(): Promise<void>;
}

export interface MachineOptions {
  readonly run: RunOptions;
  readonly folder: DataFolder;
  /** Returns the folder of the cloud assembly. */
  readonly assembly: () => Promise<string>;
  readonly environment: NodeJS.ProcessEnv;
  /** Shows what people and systems receive. */
  readonly show: (received: Receipt) => Promise<void>;
}

/** Starts a machine. Stops what was started when something fails. */
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
  const { clock } = source;
  const received = keep(openReceived(folder));
  const signingSecret = run.webhookSecret ?? readSigningSecret(folder);
  const receivers = keep(await startReceivers({ signingSecret, received, show, passOnTo: run.webhook }));
  // With ndjson, standard output holds events only.
  const tellsPeople = run.output === 'text';
  const delivers = { toPeople: tellsPeople, toWebhooks: tellsPeople || run.webhook !== null };
  const secrets = new Map<string, string>();
  const adapt = (deployment: Deployment): Redirection => {
    const { connection } = readPolling(deployment, run, source.baseUrl).request;
    const configFile = folder.file(CONFIG_FILE);
    const redirection = redirect(deployment, { configFile, connection, receivers, signingSecret, delivers });
    checkWebhooks(run, redirection);
    for (const [name, value] of redirection.secrets) secrets.set(name, value);
    secrets.set(connection.secretName, source.token);
    return redirection;
  };
  const aws = keep(
    await startLocalAws({ folder, assembly: assemblyFolder, secrets, clock, environment, adapt }),
  );
  const polling = readPolling(aws.deployment, run, source.baseUrl);
  await subscribeConsole(aws, polling.topicArns);
  const mails = await subscribeMailboxes(aws, aws.deployment.mailboxes);
  const { connection } = polling.request;
  const { endpoints } = aws;
  announce(folder, { endpoints, assembly: assemblyFolder, clock, connection, tellsPeople });
  const config: DeployedConfig = JSON.parse(readFileSync(folder.file(CONFIG_FILE), 'utf8'));
  const names = keep(openRunNames(aws, { connection: connection.name, kinds: config.people.names })).find;
  return { aws, source, polling, config, signingSecret, names, received, mails, tellsPeople };
}

function openReceived(folder: DataFolder): ReceivedIds & { stop(): Promise<void> } {
  const received = openReceivedIds(folder.file(RECEIVED_FILE));
  return { ...received, stop: async () => received.close() };
}

function checkWebhooks({ webhook }: RunOptions, { config }: Redirection): void {
  if (webhook === null || config.webhooks.length > 0) return;
  throw new NotifierError(
    'options_wrong',
    `--webhook ${webhook}: the config has no webhook to send; add one to webhooks in notifier.config.ts`,
  );
}

const SIGNING_SECRET_FILE = 'webhook-secret';
/** The Standard Webhooks specification allows 24 to 64. */
const SECRET_BYTES = 32;

/** The secret that a data folder signs with: made once, so that a receiver keeps working in later runs. */
export function readSigningSecret(folder: Pick<DataFolder, 'file'>): string {
  const file = folder.file(SIGNING_SECRET_FILE);
  if (!existsSync(file)) replaceFile(file, `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`, 0o600);
  return readFileSync(file, 'utf8');
}

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
async function startRunSource({ source, timeZone }: RunOptions, folder: DataFolder): Promise<Source> {
  claimFolder(folder, source.kind);
  if (source.kind === 'remote') return { ...source, clock: null, stop: async () => {} };
  const { speed } = source;
  const simulation = openSimulation(folder, timeZone);
  // Imported late: a run against a real source does not need the emulator.
  const { startSource } = await import('#local/source/server.ts');
  const running = await startSource({
    ...{ ...simulation, calendars: 2, speed },
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

const KIND_FILE = 'source';

function claimFolder(folder: DataFolder, kind: RunOptions['source']['kind']): void {
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
