import {
  type DeliveriesAnswer,
  type DeliveriesQuery,
  type DeliveryLine,
  type DeliveryOutcome,
  type DeliveryReceiver,
  MAX_DELIVERIES,
} from '#console/routes/deliveries.ts';
import { toIso } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { findDisabledWebhook } from '#shared/operator/deliveries/disabled-webhook.ts';
import {
  type FoundDelivery,
  findDeliveries,
  findLedgerReceivers,
} from '#shared/operator/deliveries/find-deliveries.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import type { ConsoleContext } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { writeSentence } from '../lines/describe-line.ts';

const PREFIX = 'workforce.';

/** What became of the events at their receivers, as the command `deliveries` lists it. Throws a `NotifierError`. */
export async function readDeliveries(
  { to, outcome, since = '24h' }: DeliveriesQuery,
  context: ConsoleContext,
): Promise<DeliveriesAnswer> {
  const { target } = context;
  const { webhooks, alerts, subscriptions } = target.config;
  const names = subscriptions.map(({ name }) => name);
  // The command refuses such a config; here it is an empty screen.
  if (webhooks.length + alerts.channels.length === 0)
    return { receivers: [], deliveries: [], total: 0, subscriptions: names };
  const receivers = findLedgerReceivers(undefined, target);
  const all: DeliveryLine[] = [];
  for await (const each of findDeliveries(buildQueries({ since }, target), receivers, target)) {
    all.push(describeDelivery(each, await context.knowledge.load(each.connection)));
  }
  all.sort((a, b) => (a.committedAt < b.committedAt ? 1 : -1));
  const wanted = all.filter(
    (each) =>
      (to === undefined || each.receiver === to) && (outcome === undefined || each.outcome === outcome),
  );
  return {
    receivers: await Promise.all(
      receivers.map(({ label, interest }) =>
        describeReceiver({ label, isWebhook: interest !== null, since }, all, context),
      ),
    ),
    deliveries: wanted.slice(0, MAX_DELIVERIES),
    total: wanted.length,
    subscriptions: names,
  };
}

function describeDelivery(
  { receiver, connection, timeZone, eventId, type, record, committedAt, delivery, text }: FoundDelivery,
  knowledge: ConnectionKnowledge,
): DeliveryLine {
  const feed: FeedName = type.startsWith(`${PREFIX}pay_period.`) ? 'pay-periods' : 'timesheets';
  const outcome = delivery?.outcome ?? 'untried';
  return {
    receiver: receiver.label,
    ...{ connection, timeZone, feed, eventId, record, committedAt },
    type: type.replace(PREFIX, ''),
    sentence: writeSentence({ type, subject: record }, parseJsonOrNull(text), knowledge),
    outcome: outcome === 'filtered' ? 'untried' : outcome,
    attempts: delivery?.attempts ?? 0,
    answers: [...(delivery?.answers ?? [])],
    detail: delivery?.detail ?? null,
    at: delivery === null ? null : toIso(delivery.at),
    nextAt: delivery?.nextAt === undefined ? null : toIso(delivery.nextAt),
  };
}

interface ReceiverPlace {
  readonly label: string;
  readonly isWebhook: boolean;
  readonly since: string;
}

async function describeReceiver(
  { label, isWebhook, since }: ReceiverPlace,
  all: readonly DeliveryLine[],
  { target }: ConsoleContext,
): Promise<DeliveryReceiver> {
  const counts: Record<DeliveryOutcome, number> = { delivered: 0, waiting: 0, failed: 0, untried: 0 };
  for (const { receiver, outcome } of all) if (receiver === label) counts[outcome] += 1;
  const name = label.slice(label.indexOf('/') + 1);
  const disabled = isWebhook ? await findDisabledWebhook(name, target) : null;
  return {
    label,
    kind: isWebhook ? 'webhook' : 'channel',
    counts,
    disabled: disabled === null ? null : `answered ${disabled.reason} at ${toIso(disabled.at)}`,
    resendCommand: isWebhook
      ? formatCommand(target, 'deliveries', '--to', label, '--since', since, '--resend')
      : null,
  };
}
