import { paginateListSubscriptionsByTopic, type Subscription } from '@aws-sdk/client-sns';
import { describeChapter } from '#shared/config/alarms.ts';
import { normalizeAddress } from '#shared/config/schema/channel.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '../target.ts';

export const DEPLOY = 'deploy the stack again';
/** CloudFormation believes that a subscription exists until it is removed from the config. */
export const RESUBSCRIBE = `remove the address from the config, deploy, add it again and deploy; ${describeChapter('mail-unconfirmed')}`;
export const CONFIRM = `each recipient must follow the link in the mail from AWS, which is valid for two days; after that, ${RESUBSCRIBE}`;

/** Whether a mailbox gets mail of the topic `alerts`. */
export type MailState = 'confirmed' | 'unconfirmed' | 'unsubscribed';

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
