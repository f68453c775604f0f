import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from '#local/aws/template/deployment.ts';
import { type Redirection, redirect } from '#local/run/session/redirect.ts';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { CONFIG_FILE } from '#shared/config/names.ts';
import { pollReportSchema } from '#shared/config/requests/poll-report.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import type { CheckReport } from '#shared/systems/flow/check-deliveries.ts';
import type { Arrivals, Receiving } from './arrivals.ts';
import type { World } from './world.ts';

/** Of all webhooks. It signs nothing outside this machine. */
export const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'deployed').toString('base64')}`;

/** A notifier that is run step by step: the deployed one, or that of one machine. */
export interface Notifier {
  readonly deployment: Deployment;
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** Waits until every message for a function of the stack is handled. */
  settle(): Promise<void>;
  /** What arrived since the last call. */
  take(): Promise<Arrivals>;
  stop(): Promise<void>;
}

export interface NotifierOptions {
  /** For its log and data. */
  readonly folder: string;
  readonly world: World;
  readonly receiving: Receiving;
}

/** As `npm start` does it, people and systems are on this machine; the source is that of the config. */
export function redirectToReceivers(
  deployment: Deployment,
  { world, receiving }: NotifierOptions,
  configFile: string,
): Redirection {
  const [connection] = readConfig(deployment).connections;
  if (connection === undefined) throw new Error('the config has no connection');
  const { secrets, ...redirection } = redirect(deployment, {
    configFile,
    connection,
    receivers: receiving.receivers,
    signingSecret: SIGNING_SECRET,
  });
  return { ...redirection, secrets: new Map([...secrets, [connection.secretName, world.source.token]]) };
}

/** The config beside the code, which all functions have. */
export function readConfig({ functions: [first] }: Deployment): DeployedConfig {
  return JSON.parse(readFileSync(join(first?.codeFolder ?? '', CONFIG_FILE), 'utf8')) as DeployedConfig;
}

/** One round of all schedules: each poll over its whole window, then messages, then the check of deliveries. */
export async function runSchedules(notifier: Notifier, world: World): Promise<void> {
  await poll(notifier, world);
  await notifier.settle();
  await releaseAlerts(notifier);
  for (const report of await invokeAll(notifier, 'check-deliveries')) {
    const { withheld, unsubscribed } = report as CheckReport;
    if (withheld + unsubscribed > 0)
      throw new Error(`${withheld} events were not tried, ${unsubscribed} unsubscribed`);
  }
}

/** Sends the messages that are due. */
export async function releaseAlerts(notifier: Notifier): Promise<void> {
  await invokeAll(notifier, 'release-alerts');
  await notifier.settle();
}

/** Throws when a poll is not complete. */
export async function poll({ deployment, invoke }: Notifier, world: World): Promise<void> {
  for (const { functionName, input } of deployment.schedules) {
    const request = pollRequestSchema.safeParse(input).data;
    if (request === undefined) continue;
    const answer = await invoke(functionName, { ...request, followUpUntil: 0, freshSince: world.now() });
    const { outcome, reasons } = pollReportSchema.parse(answer);
    if (outcome !== 'complete') throw new Error(`${functionName}: ${outcome}, ${reasons.join('; ')}`);
  }
}

async function invokeAll({ deployment, invoke }: Notifier, name: string): Promise<readonly unknown[]> {
  const schedules = deployment.schedules.filter(({ functionName }) => functionName.endsWith(`-${name}`));
  return await Promise.all(schedules.map(({ functionName, input }) => invoke(functionName, input)));
}
