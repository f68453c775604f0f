import { parseBotToken, parseWebhookAddress } from '#shared/adapters/chat/secret-text.ts';
import { testSlackToken } from '#shared/adapters/chat/slack-bot.ts';
import { parseWebhookSecret } from '#shared/adapters/webhook/signer.ts';
import { ForbiddenTarget, parseTarget } from '#shared/adapters/webhook/target.ts';
import type { ChatChannel } from '#shared/config/schema/channel.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import { toIso } from '#shared/core/dates.ts';
import { findDisabledWebhook, formatEnableCommand } from '../deliveries/disabled-webhook.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, lookForSecret, ok, warning, wrong } from './finding.ts';

/**
 * Checks the secrets of channels of Slack and Teams and of webhooks, without showing them, whether Slack takes the token of
 * a bot, whether a webhook is disabled, and whether the event bus exists.
 */
export async function checkDeliveries(target: Target): Promise<Finding[]> {
  const { channels } = target.config.alerts;
  const chats = channels.filter(isChat);
  const checks = [
    ...chats.map((channel) => {
      const about = `${channel.kind} ${channel.name}`;
      return finding(about, async () => await checkChat(about, channel, target));
    }),
    ...target.config.webhooks.map((webhook) => {
      const about = `webhook ${webhook.name}`;
      return finding(about, () => checkWebhook(about, webhook, target));
    }),
    ...[target.config.eventBus ?? []].flat().map((eventBus) => {
      const about = `event bus ${eventBus}`;
      return finding(about, () => checkEventBus(about, eventBus, target));
    }),
  ];
  return [...(await Promise.all(checks)), ...(await checkHeartbeats(target))];
}

/** `npm start` has the address from its environment, if any. */
async function checkHeartbeats(target: Target): Promise<Finding[]> {
  const { onlyLooks, hasSecret, redirects } = target;
  const wanted = redirects
    ? []
    : target.connections.flatMap(({ name, heartbeat }) => (heartbeat ? [{ name, ...heartbeat }] : []));
  return await Promise.all(
    wanted.map(({ name, secretName, allow }) => {
      const about = `heartbeat of ${name}`;
      return finding(about, async () => {
        if (onlyLooks === true && hasSecret !== undefined)
          return await lookForSecret(about, secretName, hasSecret);
        try {
          parseTarget((await target.readSecret(secretName)({ fresh: true })).trim(), allow);
        } catch (error) {
          if (!(error instanceof ForbiddenTarget)) throw error;
          const mend = `put an address that it may be sent to into the secret ${secretName}, or allow it in heartbeat.allow`;
          return wrong(about, error.message, mend);
        }
        return ok(about, `the secret ${secretName} holds an address`);
      });
    }),
  );
}

async function checkChat(about: string, channel: ChatChannel, target: Target): Promise<Finding> {
  const { kind, secretName } = channel;
  if (target.tellsPeople === false) return ok(about, 'this run delivers no alerts; they wait');
  const { onlyLooks, hasSecret } = target;
  if (onlyLooks === true && hasSecret !== undefined) return await lookForSecret(about, secretName, hasSecret);
  const readSecret = target.readSecret(secretName);
  if (kind === 'slack' && channel.channelId !== undefined) return await checkBot(about, channel, target);
  // `npm start` has its own receiver, without TLS.
  parseWebhookAddress(await readSecret({ fresh: true }), { kind, secretName, allowHttp: true });
  return ok(about, `the secret ${secretName} holds a webhook address`);
}

/** Of a machine with a receiver of its own, Slack knows no token. */
async function checkBot(about: string, { name, secretName }: ChatChannel, target: Target): Promise<Finding> {
  const readSecret = target.readSecret(secretName);
  parseBotToken(await readSecret({ fresh: true }), secretName);
  if (target.redirects) return ok(about, `the secret ${secretName} holds a token`);
  const answer = await testSlackToken({ readSecret, secretName, now: () => target.system.now() });
  if (answer.outcome === 'taken') {
    const test = `send-example pay_period.closed --to slack/${name}`;
    return ok(
      about,
      `Slack takes the token in the secret ${secretName}; ${test} shows whether the bot may post`,
    );
  }
  if (answer.outcome === 'later') {
    return warning(about, `Slack did not answer (${answer.reason})`, 'run doctor again later');
  }
  const mend = `put the "Bot User OAuth Token" of the app into the secret ${secretName}`;
  return wrong(about, `Slack does not take the token in it (${answer.reason})`, mend);
}

async function checkEventBus(about: string, eventBus: string, target: Target): Promise<Finding> {
  if (target.hasEventBus === undefined) return ok(about, 'npm start shows what would go on it');
  if (await target.hasEventBus(eventBus)) return ok(about, 'exists');
  const mend = 'create it, with its rules, or correct eventBus and deploy; its events wait until then';
  return wrong(about, 'does not exist in this account and region', mend);
}

async function checkWebhook(
  about: string,
  { name, secretName, paused }: Target['config']['webhooks'][number],
  target: Target,
): Promise<Finding> {
  const disabled = await findDisabledWebhook(name, target);
  if (disabled !== null) {
    const since = toIso(disabled.at);
    return wrong(
      about,
      `answered ${disabled.reason} at ${since} and is disabled`,
      formatEnableCommand(name, target),
    );
  }
  if (paused)
    return warning(
      about,
      'is paused: its events wait in its queue, each for 14 days from when it was published',
      'remove paused from its config and deploy before that',
    );
  const { onlyLooks, hasSecret } = target;
  if (onlyLooks === true && hasSecret !== undefined) return await lookForSecret(about, secretName, hasSecret);
  const text = await target.readSecret(secretName)({ fresh: true });
  const { signing, headers, oauth } = parseWebhookSecret(text, secretName);
  const rotating = signing.length > 1 ? ' and the previous one: a rotation is in progress' : '';
  const more = [...Object.keys(headers), ...(oauth === null ? [] : ['client credentials'])];
  const held = [`a signing secret${rotating}`, ...more].join(', ');
  return ok(about, `the secret ${secretName} holds ${held}`);
}
