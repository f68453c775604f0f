import type {
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveryLine,
  DeliveryOutcome,
  DeliveryReceiver,
  Resend,
} from '#console/routes/deliveries.ts';
import type { EventAnswer, EventPlace } from '#console/routes/lines.ts';
import { MAX_LISTED } from '#console/routes/paths.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { checkEnabled, findDisabledWebhook } from '#shared/operator/deliveries/disabled-webhook.ts';
import { type FoundDelivery, findDeliveries } from '#shared/operator/deliveries/find-deliveries.ts';
import { resendTo } from '#shared/operator/deliveries/resend.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { listReceivers, WITH_DELIVERIES } from '#shared/operator/receivers.ts';
import { deliverableEventSchema } from '#shared/systems/delivery-message.ts';
import { selectEvents } from '#shared/systems/selection.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import type { ConsoleContext } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { writeSentence } from '../lines/describe-line.ts';
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
    deliveries.push(describeDelivery(each, await context.knowledge.load(each.connection)));
  return {
    receivers: await Promise.all(
      receivers.map(({ label, interest }) =>
        describeReceiver({ label, isWebhook: interest !== null, since }, all, context),
      ),
    ),
    deliveries,
    total: wanted.length,
    queues: target.config.queues.map(({ name }) => name),
  };
}

function describeDelivery(
  { receiver, connection, timeZone, eventId, type, record, committedAt, delivery, text }: FoundDelivery,
  knowledge: ConnectionKnowledge,
): DeliveryLine {
  return {
    receiver: receiver.label,
    ...{ connection, timeZone, eventId, record, committedAt },
    type: type.replace(PREFIX, ''),
    sentence: writeSentence({ type, subject: record }, parseJsonOrNull(text), knowledge),
    outcome: outcomeOf({ delivery }),
    attempts: delivery?.attempts ?? 0,
    answers: (delivery?.answers ?? []).map(describeCode),
    detail: delivery?.detail == null ? null : describeCode(delivery.detail),
    at: delivery === null ? null : toIso(delivery.at),
    nextAt: delivery?.nextAt === undefined ? null : toIso(delivery.nextAt),
  };
}

function outcomeOf({ delivery }: Pick<FoundDelivery, 'delivery'>): DeliveryOutcome {
  return delivery?.outcome ?? 'untried';
}

interface ReceiverPlace {
  readonly label: string;
  readonly isWebhook: boolean;
  readonly since: string;
}

async function describeReceiver(
  { label, isWebhook, since }: ReceiverPlace,
  all: readonly FoundDelivery[],
  { target }: ConsoleContext,
): Promise<DeliveryReceiver> {
  const counts: Record<DeliveryOutcome, number> = { delivered: 0, waiting: 0, failed: 0, untried: 0 };
  for (const each of all) if (each.receiver.label === label) counts[outcomeOf(each)] += 1;
  const timeZone = target.connections[0]?.timeZone ?? 'UTC';
  const disabled = isWebhook ? await findDisabledWebhook(label, target) : null;
  return {
    label,
    kind: isWebhook ? 'webhook' : 'channel',
    counts,
    disabled:
      disabled === null
        ? null
        : `answered ${describeCode(disabled.reason)} on ${describeInstant(disabled.at, timeZone)}`,
    resendCommand: isWebhook
      ? formatCommand(target, 'deliveries', '--to', label, '--since', since, '--resend')
      : null,
  };
}

/** One event of the log, byte for byte. Throws a `NotifierError` (`event_unknown`). */
export async function readEvent(place: EventPlace, context: ConsoleContext): Promise<EventAnswer> {
  const text = await findText(place, context);
  const { subject } = deliverableEventSchema.parse(JSON.parse(text));
  const selection = subject === undefined ? [] : ['--record', subject];
  const from = Date.parse(place.committedAt);
  const range = ['--since', place.committedAt, '--until', new Date(from + 1).toISOString()];
  return {
    text,
    command: formatCommand(context.target, 'send', '--events', ...selection, ...range, '--to', 'NAME'),
  };
}

/** Sends an event to a webhook again, as `deliveries --resend` does. Throws a `NotifierError`. */
export async function resendEvent(
  { receiver: webhook, event }: Resend,
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

/** Throws a `NotifierError` (`event_unknown`). */
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
