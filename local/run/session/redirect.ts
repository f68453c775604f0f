import * as z from 'zod';
import type { Adaptation } from '#local/aws/local-aws.ts';
import type { DeployedFunction, Deployment } from '#local/aws/template/deployment.ts';
import type { Receivers } from '#local/receivers/server.ts';
import { readSetting, writeSetting } from '#shared/config/environment/setting.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { alertingSchema } from '#shared/config/schema/alerting.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { type Webhook, webhookSchema } from '#shared/config/schema/webhook.ts';
import type { SigningSecret } from './signing-secrets.ts';

/**
 * The one place where a run differs from its template: people and systems are on this machine.
 *
 * - The secret of a Slack channel answers an address of our receiver, and its function takes `http`.
 * - A webhook goes to our receiver, or to the one that `--webhook` names, and may: its guard lets this address in. Its
 *   secret is one of the data folder. Its function lives in real time although the company's clock runs fast: a
 *   signature's time is compared with a real clock, and retries are SQS's delays, which are real.
 * - Quiet hours and sentences are in the zone of the run, as the polls are.
 */
export interface Redirection extends Adaptation {
  /** Values that Secrets Manager answers, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly webhooks: readonly RedirectedWebhook[];
}

/** Where a webhook goes in this run, and what it is signed with. */
export interface RedirectedWebhook {
  readonly name: string;
  readonly address: string;
  readonly secret: string;
  readonly origin: SigningSecret['origin'];
}

export interface RedirectOptions {
  readonly connection: Connection;
  /** `null` when nobody is told but those who read events. */
  readonly receivers: Receivers | null;
  /** The user's own receiver; `null` for ours. */
  readonly webhookUrl: string | null;
  /** Secret that webhooks are signed with, by the name of the secret in the template. */
  readonly signingSecret: (secretName: string) => SigningSecret;
}

const channelSchema = z.looseObject({ name: z.string(), secretName: z.string() });
type SlackSetting = z.output<typeof channelSchema>;

/** What a function has to do with people and systems, by its environment in the template. */
type FunctionRole =
  | { readonly kind: 'slack'; readonly channel: SlackSetting }
  | { readonly kind: 'webhook'; readonly webhook: Webhook }
  | { readonly kind: 'alerts'; readonly alerting: string }
  | { readonly kind: 'other' };

export function redirect({ functions }: Deployment, options: RedirectOptions): Redirection {
  const { receivers, webhookUrl } = options;
  const roles = functions.map(classifyFunction);
  const webhooks = roles
    .flatMap((role) => (role.kind === 'webhook' ? [role.webhook] : []))
    .map(({ name, secretName }) => ({
      name,
      address: webhookUrl ?? receivers?.webhookAddress(name) ?? '',
      ...options.signingSecret(secretName),
      secretName,
    }));
  const channels = roles.flatMap((role) => (role.kind === 'slack' ? [role.channel] : []));
  return {
    secrets: new Map([
      ...webhooks.map(({ secretName, secret }) => [secretName, secret] as const),
      ...channels.map(({ name, secretName }) => [secretName, receivers?.slackAddress(name) ?? ''] as const),
    ]),
    webhooks,
    adapt: (deployed) => {
      const changed = buildSettings(classifyFunction(deployed), webhooks, options);
      return { ...deployed, environment: { ...deployed.environment, ...changed } };
    },
    inRealTime: (deployed) => classifyFunction(deployed).kind === 'webhook',
    serves: (deployed) => isServed(classifyFunction(deployed), options),
  };
}

function classifyFunction({ environment }: DeployedFunction): FunctionRole {
  const {
    [ENVIRONMENT.channel]: channel,
    [ENVIRONMENT.webhook]: webhook,
    [ENVIRONMENT.alerting]: alerting,
  } = environment;
  if (channel !== undefined) return { kind: 'slack', channel: channelSchema.parse(readSetting(channel)) };
  if (webhook !== undefined) return { kind: 'webhook', webhook: webhookSchema.parse(readSetting(webhook)) };
  return alerting === undefined ? { kind: 'other' } : { kind: 'alerts', alerting };
}

/** Who is not served leaves the messages in the queue, for a run that does. */
function isServed(role: FunctionRole, { receivers, webhookUrl }: RedirectOptions): boolean {
  switch (role.kind) {
    case 'slack':
    case 'alerts':
      return receivers !== null;
    case 'webhook':
      return receivers !== null || webhookUrl !== null;
    case 'other':
      return true;
  }
}

/** The variables of a function that have another value here. */
function buildSettings(
  role: FunctionRole,
  webhooks: readonly RedirectedWebhook[],
  { connection }: RedirectOptions,
): Record<string, string> {
  switch (role.kind) {
    case 'slack':
      return { [ENVIRONMENT.channel]: writeSetting({ ...role.channel, allowHttp: true }) };
    case 'webhook': {
      const { address = '' } = webhooks.find(({ name }) => name === role.webhook.name) ?? {};
      return { [ENVIRONMENT.webhook]: writeSetting({ ...role.webhook, ...toTarget(address) }) };
    }
    case 'alerts':
      return { [ENVIRONMENT.alerting]: setTimeZone(connection, role.alerting) };
    case 'other':
      return {};
  }
}

function toTarget(address: string): Pick<Webhook, 'url' | 'allow'> | undefined {
  if (address === '') return undefined;
  const { protocol, port } = new URL(address);
  const usual = protocol === 'https:' ? 443 : 80;
  const ports = [port === '' ? usual : Number(port)];
  return { url: address, allow: { http: true, privateAddresses: true, ports } };
}

function setTimeZone({ name, timeZone }: Connection, alerting: string): string {
  const { connections, ...rest } = alertingSchema.parse(readSetting(alerting));
  return writeSetting({
    ...rest,
    connections: connections.map((known) => (known.name === name ? { name, timeZone } : known)),
  });
}
