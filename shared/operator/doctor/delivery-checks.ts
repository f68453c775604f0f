import { paginateListSubscriptionsByTopic, type Subscription } from '@aws-sdk/client-sns';
import { parseBotToken, parseWebhookAddress } from '#shared/adapters/chat/secret-text.ts';
import { testSlackToken } from '#shared/adapters/chat/slack-bot.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { createWebhookClient, type WebhookClientOptions } from '#shared/adapters/webhook/client.ts';
import { parseWebhookSecret } from '#shared/adapters/webhook/signer.ts';
import { ForbiddenTarget, parseTarget } from '#shared/adapters/webhook/target.ts';
import { describeChapter } from '#shared/config/alarms.ts';
import { EVENT_TOPIC_NAMES, type EventTopicName } from '#shared/config/names.ts';
import { allowedTargetsSchema } from '#shared/config/schema/allowed-targets.ts';
import { type ChatChannel, normalizeAddress } from '#shared/config/schema/channel.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { findNeededTypes } from '#shared/config/schema/people.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { POST_TIMEOUT_MS } from '#shared/people/flow/paced-chat.ts';
import { findRecentOutage, isGivenUp, type Outage } from '#shared/systems/acceptance.ts';
import { sendHeartbeat } from '#shared/systems/flow/send-heartbeat.ts';
import type { WebhookClient } from '#shared/systems/flow/webhook-run.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { findDisabledWebhook, formatResumeCommand } from '../deliveries/disabled-webhook.ts';
import { findDeliveries } from '../deliveries/find-deliveries.ts';
import { openStore } from '../open-store.ts';
import { findReceiver, WITH_DELIVERIES } from '../receivers.ts';
import { type Target, toTableOptions } from '../target.ts';
import { type Finding, finding, lookForSecret, ok, warning, wrong } from './finding.ts';
import { findWithheldEvents } from './withheld-events.ts';

/** How others are asked; tests replace it. */
type OpenClient = (options: WebhookClientOptions) => WebhookClient;

/**
 * Checks the secrets of channels of Slack and Teams and of webhooks, without showing them, whether Slack takes the token of
 * a bot, and whether a webhook is disabled.
 */
export async function checkDeliveries(
  target: Target,
  openClient: OpenClient = createWebhookClient,
): Promise<Finding[]> {
  const { channels } = target.config.people;
  const chats = channels.filter(isChat);
  const checks = [
    ...chats.map((channel) => {
      const about = `${channel.kind} ${channel.name}`;
      return finding(about, async () => await checkChat(about, channel, target, openClient));
    }),
    ...target.config.webhooks.map((webhook) => {
      const about = `webhook ${webhook.name}`;
      return finding(about, () => checkWebhook(about, webhook, target));
    }),
  ];
  return [...(await Promise.all(checks)), ...(await checkHeartbeats(target, openClient))];
}

type Heartbeated = NonNullable<Connection['heartbeat']> & { readonly connection: string };

/** `npm start` has the address from its environment, if any. */
async function checkHeartbeats(target: Target, openClient: OpenClient): Promise<Finding[]> {
  const { onlyLooks, hasSecret, redirects } = target;
  const wanted = redirects
    ? []
    : target.connections.flatMap(({ name, heartbeat }) => (heartbeat ? [{ name, ...heartbeat }] : []));
  return await Promise.all(
    wanted.map(({ name, ...heartbeat }) => {
      const { secretName, allow } = heartbeat;
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
        return await tryHeartbeat(about, { ...heartbeat, connection: name }, target, openClient);
      });
    }),
  );
}

/** Sends it as a poll does, which is only where all is in time: nobody hears of life that is not there. */
async function tryHeartbeat(
  about: string,
  { allow, secretName, connection }: Heartbeated,
  target: Target,
  openClient: OpenClient,
): Promise<Finding> {
  const readAddress = async () => (await target.readSecret(secretName)({ fresh: false })).trim();
  const client = openClient({ allow, now: target.system.now, timeoutMs: POST_TIMEOUT_MS });
  const store = openStore(target);
  const sent = await sendHeartbeat(connection, { store, readAddress, client, clock: target.system });
  if (sent.outcome === 'sent') return ok(about, `the address in the secret ${secretName} takes it`);
  if (sent.outcome !== 'failed')
    return ok(about, `the secret ${secretName} holds an address; not tried, since a feed is not in time`);
  const { reason } = sent;
  if (!/^(?:answer|status)_/.test(reason))
    return warning(about, `no answer from here (${reason})`, 'run doctor again later');
  const mend = `put the address of a check that exists, and that nothing else calls, into the secret ${secretName}`;
  return wrong(about, `nobody hears it: the address in the secret answers ${reason}`, mend);
}

async function checkChat(
  about: string,
  channel: ChatChannel,
  target: Target,
  openClient: OpenClient,
): Promise<Finding> {
  const { kind, secretName } = channel;
  if (target.tellsPeople === false) return ok(about, 'this run delivers no alerts; they wait');
  const { onlyLooks, hasSecret } = target;
  if (onlyLooks === true && hasSecret !== undefined) return await lookForSecret(about, secretName, hasSecret);
  const readSecret = target.readSecret(secretName);
  if (kind === 'slack' && channel.channelId !== undefined)
    return await checkBot(about, channel, target, openClient);
  // `npm start` has its own receiver, without TLS.
  const allowHttp = target.redirects;
  parseWebhookAddress(await readSecret({ fresh: true }), { kind, secretName, allowHttp });
  return ok(about, `the secret ${secretName} holds a webhook address`);
}

/** Of a machine with a receiver of its own, Slack knows no token. */
async function checkBot(
  about: string,
  { name, secretName }: ChatChannel,
  target: Target,
  openClient: OpenClient,
): Promise<Finding> {
  const readSecret = target.readSecret(secretName);
  parseBotToken(await readSecret({ fresh: true }), secretName);
  if (target.redirects) return ok(about, `the secret ${secretName} holds a token`);
  const allow = allowedTargetsSchema.parse({});
  const client = openClient({ allow, now: target.system.now, timeoutMs: POST_TIMEOUT_MS });
  const answer = await testSlackToken({ readSecret, secretName, client });
  if (answer.outcome === 'taken') {
    const test = `test --to slack/${name}`;
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
      formatResumeCommand(name, target),
    );
  }
  if (paused)
    return warning(
      about,
      'is paused: its events wait in its queue, each for 14 days from when it was published',
      'remove paused from its config and deploy before that',
    );
  const missed = await findMissedEvents(name, target);
  if (missed !== null) return warning(about, describeMissed(missed), missed.command);
  const withheld = await findWithheldEvents(name, target);
  if (withheld !== null) {
    const { events, first, command } = withheld;
    const says = `nobody tried ${events === 1 ? '1 event' : `${events} events`} of the last day, from ${first} on`;
    return wrong(about, says, `${describeChapter('deliveries-withheld')}, then ${command}`);
  }
  const { onlyLooks, hasSecret } = target;
  if (onlyLooks === true && hasSecret !== undefined) return await lookForSecret(about, secretName, hasSecret);
  const text = await target.readSecret(secretName)({ fresh: true });
  const { signing, headers, oauth } = parseWebhookSecret(text, secretName);
  const rotating = signing.length > 1 ? ' and the previous one: a rotation is in progress' : '';
  const more = [...Object.keys(headers), ...(oauth === null ? [] : ['client credentials'])];
  const held = [`a signing secret${rotating}`, ...more].join(', ');
  return ok(about, `the secret ${secretName} holds ${held}`);
}

function describeMissed({ outage, events, hasMore, first, last }: MissedEvents): string {
  const count = hasMore ? `more than ${events} events` : `${events} events`;
  const which = events === 1 ? `1 event (${first})` : `${count} (${first} to ${last})`;
  return `took nothing from ${toIso(outage.from)} to ${toIso(outage.to)}; ${which} of that time never reached it: kept for 14 days, then given up`;
}

/** Checks that the topics of the stack exist and that every subscriber of the config is subscribed. */
export async function checkTopics(target: Target): Promise<Finding[]> {
  const { poll } = target.config;
  const used = EVENT_TOPIC_NAMES.filter((name) => name !== 'directory' || poll.directory);
  const events = used.map((name) => {
    const about = `topic ${name}`;
    return finding(about, async () => {
      const subscribed = await listSubscriptions(target.part(`topics/${name}/arn`), target);
      const queues = new Set<string | null>(
        subscribed.map(({ Endpoint = '' }) => Endpoint.slice(Endpoint.lastIndexOf(':') + 1)),
      );
      const missing = listReceivers(name, target).filter(
        (receiver) => !queues.has(findQueueName(receiver, target)),
      );
      if (missing.length > 0) return wrong(about, `${missing.join(', ')} not subscribed`, DEPLOY);
      return ok(about, `${subscribed.length} subscribed`);
    });
  });
  // `npm start` sends no mail: it prints what would be sent.
  const people = target.redirects ? [] : [finding('topic alerts', () => checkAlerts('topic alerts', target))];
  return await Promise.all([...events, ...people]);
}

async function checkAlerts(about: string, target: Target): Promise<Finding> {
  const wanted = listAddresses(target);
  const states = await readMailStates(wanted, target);
  const missing = states.filter((state) => state === 'unsubscribed').length;
  const pending = states.filter((state) => state === 'unconfirmed').length;
  if (missing > 0) {
    return wrong(
      about,
      `${missing} of ${wanted.length} addresses not subscribed`,
      `${DEPLOY}; if that does not help, ${RESUBSCRIBE}`,
    );
  }
  if (pending > 0) {
    return warning(about, `${pending} of ${wanted.length} addresses have not confirmed`, CONFIRM);
  }
  return ok(about, `${wanted.length} addresses subscribed`);
}

/** Names of the queues that should be subscribed to a topic. */
function listReceivers(topic: EventTopicName, { config }: Target): string[] {
  const { queues, webhooks, people } = config;
  const isSubscribed = ({ topics }: { readonly topics: readonly string[] }) => topics.includes(topic);
  return [
    ...queues.filter(isSubscribed).map(({ name }) => `queue-${name}`),
    ...webhooks.filter(isSubscribed).map(({ name }) => `webhook-${name}`),
    ...(findNeededTypes(people).has(topic) ? ['collect-alerts'] : []),
  ];
}

/** Name of the queue in AWS; null when the stack has none. */
function findQueueName(receiver: string, { parts }: Target): string | null {
  return parts.get(`queues/${receiver}/url`)?.split('/').at(-1) ?? null;
}

function listAddresses({ config }: Target): string[] {
  const { people, alarms } = config;
  const addresses = people.channels.flatMap((channel) => (channel.kind === 'email' ? channel.addresses : []));
  const ofAlarms = alarms.email === undefined ? [] : [alarms.email];
  return [...new Set([...addresses, ...ofAlarms].map(normalizeAddress))];
}

const DEPLOY = 'deploy the stack again';
/** CloudFormation believes that a subscription exists until it is removed from the config. */
export const RESUBSCRIBE = `remove the address from the config, deploy, add it again and deploy; ${describeChapter('mail-unconfirmed')}`;
export const CONFIRM = `each recipient must follow the link in the mail from AWS, which is valid for two days; after that, ${RESUBSCRIBE}`;

/** Whether a mailbox gets mail of the topic `alerts`. */
type MailState = 'confirmed' | 'unconfirmed' | 'unsubscribed';

/** What SNS returns in place of the ARN: of one that nobody confirmed, and for a while of one that unsubscribed. */
const PENDING = 'PendingConfirmation';
const DELETED = 'Deleted';

/** The state of these addresses, in their order. */
export async function readMailStates(addresses: readonly string[], target: Target): Promise<MailState[]> {
  const subscribed = await listSubscriptions(target.part('topics/alerts/arn'), target);
  const known = new Map(
    subscribed
      .filter(({ Protocol, SubscriptionArn }) => Protocol === 'email' && SubscriptionArn !== DELETED)
      .map(({ Endpoint = '', SubscriptionArn }) => [normalizeAddress(Endpoint), SubscriptionArn]),
  );
  return addresses.map((address) => {
    const arn = known.get(normalizeAddress(address));
    if (arn === undefined) return 'unsubscribed';
    return arn === PENDING ? 'unconfirmed' : 'confirmed';
  });
}

export function isConfirmed({ SubscriptionArn }: Subscription): boolean {
  return SubscriptionArn !== PENDING && SubscriptionArn !== DELETED;
}

/** Throws a `NotifierError` (`topic_missing`). */
export async function listSubscriptions(TopicArn: string, { sns: client }: Target): Promise<Subscription[]> {
  const subscriptions: Subscription[] = [];
  try {
    for await (const page of paginateListSubscriptionsByTopic({ client }, { TopicArn })) {
      subscriptions.push(...(page.Subscriptions ?? []));
    }
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'NotFoundException') throw cause;
    throw new NotifierError('topic_missing', `${cause.message}; ${DEPLOY}`, { cause });
  }
  return subscriptions;
}

/** What a webhook lacks of a time in which it took nothing for longer than an event is kept for it. */
interface MissedEvents {
  readonly outage: Outage;
  readonly events: number;
  /** The rest was not counted: they are of the whole outage. */
  readonly hasMore: boolean;
  /** RFC 3339: when the first and the last of them were committed. */
  readonly first: string;
  readonly last: string;
  /** Sends them again. */
  readonly command: string;
}

/** Among 50,000 people an outage of 16 days leaves a million: enough is known after these. */
const MAX_COUNTED = 10_000;

/** Null when it lacks nothing, as after they were sent again. Reads the log of that time, and what became of each event. */
export async function findMissedEvents(
  webhook: string,
  target: Target,
  maxCounted = MAX_COUNTED,
): Promise<MissedEvents | null> {
  // Its clock is not that of the log.
  if (target.webhooksInRealTime === true) return null;
  const now = target.system.now();
  const known = await createWebhookStateStore(toTableOptions(target)).loadAcceptance(webhook);
  const outage = findRecentOutage(known, now);
  if (outage === null) return null;
  const queries = target.connections.map((connection) => ({ connection, ...outage }));
  const missed: string[] = [];
  for await (const each of findDeliveries(
    queries,
    [findReceiver(webhook, WITH_DELIVERIES, target)],
    target,
  )) {
    const { delivery, committedAt } = each;
    const heardOf = delivery?.at ?? Date.parse(committedAt);
    if (isGivenUp(delivery?.outcome ?? null, heardOf, now)) missed.push(committedAt);
    if (missed.length > maxCounted) break;
  }
  const hasMore = missed.length > maxCounted;
  // The log is read feed by feed: what is first and last of all is not known before its end.
  const times = hasMore ? [toIso(outage.from), toIso(outage.to)] : missed.toSorted();
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return null;
  const until = toIso(Date.parse(last) + 1);
  const command = formatCommand(
    target,
    'send',
    '--events',
    '--since',
    first,
    '--until',
    until,
    '--to',
    webhook,
  );
  return { outage, events: Math.min(missed.length, maxCounted), hasMore, first, last, command };
}
