import type {
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveryLine,
  DeliveryOutcome,
  DeliveryReceiver,
  Resend,
} from '#console/answers/deliveries.ts';
import { type EventPlace, MAX_LISTED } from '#console/answers/lines.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { checkEnabled, findDisabledWebhook } from '#shared/operator/deliveries/disabled-webhook.ts';
import { type FoundDelivery, findDeliveries } from '#shared/operator/deliveries/find-deliveries.ts';
import { resendTo } from '#shared/operator/deliveries/resend.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { listReceivers, type Receiver, WITH_DELIVERIES } from '#shared/operator/receivers.ts';
import { deliverableEventSchema } from '#shared/systems/delivery-message.ts';
import { selectEvents } from '#shared/systems/selection.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import type { ConsoleContext } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { describeText } from '../lines/describe-line.ts';
import { createTypeTest } from '../lines/list-lines.ts';
import { describeCode, describeInstant } from '../words.ts';

const PREFIX = 'workforce.';

/** What became of the events at their receivers, as the command `deliveries` lists it. Throws a `NotifierError`. */
export async function readDeliveries(
  { to, outcome, type, since = '24h' }: DeliveriesQuery,
  context: ConsoleContext,
): Promise<DeliveriesAnswer> {
  const { target } = context;
  const receivers = listReceivers(WITH_DELIVERIES, target);
  const isWanted = createTypeTest(type);
  const all: FoundDelivery[] = [];
  for await (const each of findDeliveries(buildQueries({ since }, target), receivers, target))
    if (isWanted(each.type.replace(PREFIX, ''))) all.push(each);
  all.sort((a, b) => (a.committedAt < b.committedAt ? 1 : -1));
  const wanted = all.filter(
    (each) =>
      (to === undefined || each.receiver.label === to) &&
      (outcome === undefined || outcomeOf(each) === outcome),
  );
  const deliveries: DeliveryLine[] = [];
  for (const each of wanted.slice(0, MAX_LISTED))
    deliveries.push(...describeDelivery(each, await context.knowledge.load(each.connection)));
  const byReceiver = Map.groupBy(all, ({ receiver: { label } }) => label);
  return {
    receivers: await Promise.all(
      receivers.map((each) => describeReceiver(each, byReceiver.get(each.label) ?? [], { since, context })),
    ),
    deliveries,
    total: wanted.length,
    queues: target.config.queues.map(({ name }) => name),
  };
}

function describeDelivery(found: FoundDelivery, knowledge: ConnectionKnowledge): DeliveryLine[] {
  const { receiver, committedAt, delivery, text } = found;
  const line = describeText(text, committedAt, knowledge);
  if (line === null) return [];
  return [
    {
      ...line,
      receiver: receiver.label,
      outcome: outcomeOf(found),
      attempts: delivery?.attempts ?? 0,
      answers: (delivery?.answers ?? []).map(describeCode),
      detail: delivery?.detail == null ? null : describeCode(delivery.detail),
      at: delivery === null ? null : toIso(delivery.at),
      nextAt: delivery?.nextAt === undefined ? null : toIso(delivery.nextAt),
    },
  ];
}

function outcomeOf({ delivery }: Pick<FoundDelivery, 'delivery'>): DeliveryOutcome {
  return delivery?.outcome ?? 'untried';
}

async function describeReceiver(
  { label, interest }: Receiver,
  own: readonly FoundDelivery[],
  { since, context: { target } }: { readonly since: string; readonly context: ConsoleContext },
): Promise<DeliveryReceiver> {
  const isWebhook = interest !== null;
  const counts: Record<DeliveryOutcome, number> = { delivered: 0, waiting: 0, failed: 0, untried: 0 };
  for (const each of own) counts[outcomeOf(each)] += 1;
  const timeZone = target.connections[0]?.timeZone ?? 'UTC';
  const disabled = isWebhook ? await findDisabledWebhook(label, target) : null;
  return {
    ...{ label, kind: isWebhook ? 'webhook' : 'channel', counts },
    disabled:
      disabled === null
        ? null
        : `answered ${describeCode(disabled.reason)} on ${describeInstant(disabled.at, timeZone)}`,
    resendCommand: isWebhook
      ? formatCommand(target, 'deliveries', '--to', label, '--since', since, '--resend')
      : null,
  };
}

/** Sends an event to a webhook again, as `deliveries --resend` does. Throws a `NotifierError`. */
export async function resendEvent(
  { receiver: webhook, ...event }: Resend,
  context: ConsoleContext,
): Promise<void> {
  const { target, allowsWrites } = context;
  if (!allowsWrites)
    throw new NotifierError(
      'read_only',
      'this console only reads; start it with --allow-writes, or use the command',
    );
  if (!target.config.webhooks.some(({ name }) => name === webhook))
    throw new NotifierError('receiver_unknown', `there is no webhook ${JSON.stringify(webhook)}`);
  await checkEnabled(webhook, target);
  const text = await findText(event, context);
  await resendTo(webhook, [{ eventId: event.id, text }], target);
}

/** An event of the log, byte for byte. Throws a `NotifierError` (`event_unknown`). */
async function findText(
  { id, connection, committedAt }: EventPlace,
  { log }: ConsoleContext,
): Promise<string> {
  const from = Date.parse(committedAt);
  for await (const { texts } of log.read(connection, { from, to: from + 1 })) {
    for (const { text } of selectEvents(texts, {}))
      if (deliverableEventSchema.parse(JSON.parse(text)).id === id) return text;
  }
  throw new NotifierError('event_unknown', `the log has no event ${JSON.stringify(id)} at ${committedAt}`);
}
