import { FilterOrPolicy, SubscriptionFilter, type Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, type EmailSubscriptionProps } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { CHANNEL_ATTRIBUTE } from '#shared/config/names.ts';
import { normalizeAddress } from '#shared/config/schema/channel.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

export interface MailboxesProps {
  readonly config: NotifierConfig;
  readonly alerts: Topic;
}

/**
 * By their bodies: alarms have no attributes, and SNS takes no message without attributes for one that lacks a certain
 * one.
 */
const ALARMS_ONLY: EmailSubscriptionProps = {
  filterPolicyWithMessageBody: { AlarmName: FilterOrPolicy.filter(SubscriptionFilter.existsFilter()) },
};

/**
 * Who gets mail from the topic `alerts`: the addresses of a channel what is for this channel, the address for alarms
 * what is an alarm. AWS asks every address for confirmation. An address has one subscription to a topic, so what is in
 * several channels, however it is spelled, gets the messages of all of them through one filter.
 */
export class Mailboxes extends Construct {
  constructor(scope: Construct, id: string, { config, alerts }: MailboxesProps) {
    super(scope, id);
    for (const [address, filter] of buildMailFilters(config)) {
      acknowledge(
        alerts.addSubscription(new EmailSubscription(address, filter)),
        'SNSRedrivePolicy',
        'what no mailbox takes is still to be seen: alarms in CloudWatch, alerts in the table',
      );
    }
  }
}

/** By address as it is spelled where it stands first, which messages it gets. */
function buildMailFilters({ alerts, alarms }: NotifierConfig): ReadonlyMap<string, EmailSubscriptionProps> {
  const spellings = new Map<string, string>();
  const channels = new Map<string, string[]>();
  for (const channel of alerts.channels) {
    if (channel.kind !== 'email') continue;
    for (const address of channel.addresses) {
      const first = spellings.get(normalizeAddress(address)) ?? address;
      spellings.set(normalizeAddress(address), first);
      channels.set(first, [...(channels.get(first) ?? []), channel.name]);
    }
  }
  const filters = new Map(
    [...channels].map(([address, allowlist]): [string, EmailSubscriptionProps] => [
      address,
      { filterPolicy: { [CHANNEL_ATTRIBUTE]: SubscriptionFilter.stringFilter({ allowlist }) } },
    ]),
  );
  return alarms.email === undefined ? filters : filters.set(alarms.email, ALARMS_ONLY);
}
