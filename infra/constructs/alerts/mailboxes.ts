import { FilterOrPolicy, SubscriptionFilter, type Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, type EmailSubscriptionProps } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { SEVERITY_WORDS, type Severity } from '#shared/config/alarms.ts';
import { CHANNEL_ATTRIBUTE } from '#shared/config/names.ts';
import { normalizeAddress } from '#shared/config/schema/channel.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

export interface MailboxesProps {
  readonly config: NotifierConfig;
  readonly alerts: Topic;
}

/** Matches the body of alarms. They have no attributes, and SNS cannot match the absence of all attributes. */
const ALARMS_ONLY: EmailSubscriptionProps = {
  filterPolicyWithMessageBody: { AlarmName: FilterOrPolicy.filter(SubscriptionFilter.existsFilter()) },
};

/** Of these, the ones of a severity. */
function ofSeverity(severity: Severity): EmailSubscriptionProps {
  const matchPrefixes = [SEVERITY_WORDS[severity]];
  const AlarmDescription = FilterOrPolicy.filter(SubscriptionFilter.stringFilter({ matchPrefixes }));
  return { filterPolicyWithMessageBody: { AlarmDescription } };
}

/**
 * Mail subscriptions of the topic `alerts`: the addresses of a channel get its messages, the addresses for alarms get
 * alarms. AWS asks every address to confirm. SNS allows an address one subscription per topic, so an address of several
 * channels, in any spelling, has one filter for all of them.
 */
export class Mailboxes extends Construct {
  constructor(scope: Construct, id: string, { config, alerts }: MailboxesProps) {
    super(scope, id);
    for (const [address, filter] of buildMailFilters(config)) {
      acknowledge(
        alerts.addSubscription(new EmailSubscription(address, filter)),
        'SNSRedrivePolicy',
        'undelivered mail can still be seen: alarms in CloudWatch, alerts in the table',
      );
    }
  }
}

/** By address, in its first spelling. */
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
  const { email, warnings } = alarms;
  if (email !== undefined) filters.set(email, warnings === undefined ? ALARMS_ONLY : ofSeverity('critical'));
  if (warnings?.email !== undefined) filters.set(warnings.email, ofSeverity('warning'));
  return filters;
}
