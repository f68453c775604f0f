import { EVENT_TOPIC_NAMES, type EventTopicName } from '#shared/config/names.ts';
import { findNeededTypes } from '#shared/config/schema/alerting.ts';
import { normalizeAddress } from '#shared/config/schema/channel.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';
import { CONFIRM, DEPLOY, listSubscriptions, RESUBSCRIBE, readMailStates } from './mail-subscriptions.ts';

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
  return [
    ...new Set([...addresses, ...(alarms.email === undefined ? [] : [alarms.email])].map(normalizeAddress)),
  ];
}
