import { paginateListSubscriptionsByTopic, type Subscription } from '@aws-sdk/client-sns';
import { describeChapter } from '#shared/config/alarms.ts';
import { EVENT_TOPIC_NAMES, type EventTopicName } from '#shared/config/names.ts';
import { findNeededTypes } from '#shared/config/schema/alerting.ts';
import { normalizeAddress } from '#shared/config/schema/channel.ts';
import { listAlarmReceivers } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';

/** Checks that the topics of the stack exist and that every subscriber of the config is subscribed. */
export async function checkTopics(target: Target): Promise<Finding[]> {
  const events = EVENT_TOPIC_NAMES.map((name) => {
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
  const { subscriptions, webhooks, alerts, eventBus } = config;
  const isSubscribed = ({ topics }: { readonly topics: readonly string[] }) => topics.includes(topic);
  return [
    ...subscriptions.filter(isSubscribed).map(({ name }) => `subscription-${name}`),
    ...webhooks.filter(isSubscribed).map(({ name }) => `webhook-${name}`),
    ...(findNeededTypes(alerts).has(topic) ? ['collect-alerts'] : []),
    ...(eventBus === undefined ? [] : ['event-bus']),
  ];
}

/** Name of the queue in AWS; null when the stack has none. */
function findQueueName(receiver: string, { parts }: Target): string | null {
  return parts.get(`queues/${receiver}/url`)?.split('/').at(-1) ?? null;
}

function listAddresses({ config }: Target): string[] {
  const { alerts, alarms } = config;
  const addresses = alerts.channels.flatMap((channel) => (channel.kind === 'email' ? channel.addresses : []));
  const ofAlarms = listAlarmReceivers(alarms).flatMap(({ email }) => email ?? []);
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
