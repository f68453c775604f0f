import { describeFailure } from '#shared/core/errors.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { BatchResult, QueueMessage } from '#shared/flow/system.ts';
import { isOfLaterVersion } from '#shared/people/messages/later-events.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { type DescribableEvent, describableEventSchema } from '#shared/people/words/sentences.ts';
import type { Alert } from '../alert.ts';
import { type AlertContext, buildAlert } from '../build-alert.ts';
import { isForPay, matchChannels, matchEvent } from '../match-channels.ts';
import { chooseHoursBefore, findReversal, readHoursAtReversal } from '../reverted-hours.ts';
import { buildUnshownAlert, type UnreadableEvent, unreadableEventSchema } from '../unshown-alert.ts';
import { AlertCollection, type AlertSettings, type CollectPorts } from './collection.ts';

type Received =
  | { readonly outcome: 'event'; readonly id: string; readonly event: DescribableEvent }
  /** A type, or a version of one, that a later version of this product publishes. */
  | { readonly outcome: 'unknown'; readonly id: string }
  /** Not an event of this product, or one whose data cannot be read: null where its envelope cannot be either. */
  | { readonly outcome: 'strange'; readonly id: string; readonly event: UnreadableEvent | null };
type ReceivedEvent = Extract<Received, { outcome: 'event' }>;

/**
 * Turns a batch of events into alerts that wait for their channels: parse -> match -> build -> add. Each channel gets
 * an alert once, so a message may be delivered any number of times. Messages that cannot be read, worded or stored are
 * returned as failed, without affecting the others; the queue moves them to the dead-letter queue in the end. Of what
 * cannot be worded the channels hear that.
 */
export async function collectAlerts(
  messages: readonly QueueMessage[],
  settings: AlertSettings,
  ports: CollectPorts,
): Promise<BatchResult> {
  const startedAt = ports.clock.now();
  const collection = new AlertCollection(settings, ports);
  const tally = new CollectTally();
  const received = messages.map(classifyMessage);
  const events = received.filter((each) => each.outcome === 'event');
  for (const each of events) await tally.attempt([each.id], () => collect(each, collection, tally));
  const strange = received.filter((each) => each.outcome === 'strange');
  for (const { event } of strange)
    if (event !== null) await tally.attempt([], () => collectUnreadable(event, collection));
  const unknown = received.filter(({ outcome }) => outcome === 'unknown').length;
  const failed = [...new Set([...strange.map(({ id }) => id), ...tally.failed])];
  ports.telemetry.report({
    outcome: 'alerts.collected',
    result: failed.length === 0 ? 'complete' : 'incomplete',
    reason: tally.reason ?? (strange.length > 0 ? 'message_strange' : null),
    messages: messages.length,
    events: events.length,
    ...(unknown === 0 ? {} : { unknown }),
    strange: strange.length,
    failed: failed.length,
    added: tally.added,
    duration_ms: ports.clock.now() - startedAt,
  });
  return { failed };
}

function classifyMessage({ id, body }: QueueMessage): Received {
  const value = parseJsonOrNull(body);
  const parsed = describableEventSchema.safeParse(value);
  if (parsed.success) return { outcome: 'event', id, event: parsed.data };
  if (isOfLaterVersion(value)) return { outcome: 'unknown', id };
  return { outcome: 'strange', id, event: unreadableEventSchema.safeParse(value).data ?? null };
}

/** Adds the alerts of one event to all channels that are told of it. Returns how many were new. */
async function collect(
  { id, event }: ReceivedEvent,
  collection: AlertCollection,
  tally: CollectTally,
): Promise<number> {
  const { alerting } = collection.settings;
  const hearers = collection.hearersOf(event.connection);
  const matches = matchEvent(event, hearers);
  const hoursBefore = matches.length === 0 ? null : await rememberHours(event, collection);
  const names = matches.length === 0 ? NO_NAMES : await collection.namesOf(event.connection);
  let added = 0;
  for (const match of matches) {
    const alert = wordAlert(
      event,
      {
        ...alerting,
        match,
        names,
        timeZone: hearers.timeZone,
        hoursBefore,
        namesConnection: collection.namesConnection,
        isForPay: isForPay(match, alerting.channels),
      },
      (error) => tally.fail([id], error),
    );
    added += await collection.ports.alertStore.add(match.channel, [alert], collection.expiresAt);
  }
  return added;
}

function wordAlert(
  event: DescribableEvent,
  context: AlertContext,
  onFailure: (error: unknown) => void,
): Alert {
  try {
    return buildAlert(event, context);
  } catch (error) {
    onFailure(error);
    return buildUnshownAlert(unreadableEventSchema.parse(event), context);
  }
}

/** Tells the channels of an event whose data cannot be read that there is one. Returns how many were new. */
async function collectUnreadable(event: UnreadableEvent, collection: AlertCollection): Promise<number> {
  const { settings, ports, namesConnection, expiresAt } = collection;
  const hearers = collection.hearersOf(event.connection);
  const { timeZone } = hearers;
  let added = 0;
  for (const match of matchChannels(event, hearers)) {
    const context = { ...settings.alerting, match, names: NO_NAMES };
    const alert = buildUnshownAlert(event, { ...context, timeZone, namesConnection });
    added += await ports.alertStore.add(match.channel, [alert], expiresAt);
  }
  return added;
}

/** Saves the hours of a reversal, and returns those of the one that an event settles. */
async function rememberHours(
  event: DescribableEvent,
  { ports: { revertedHours }, expiresAt }: AlertCollection,
): Promise<number | null> {
  const [hours, reversal] = [readHoursAtReversal(event), findReversal(event)];
  if (hours !== null) await revertedHours?.save(event.id, hours, expiresAt);
  return chooseHoursBefore(event, reversal === null ? null : await revertedHours?.load(reversal));
}

class CollectTally {
  readonly failed: string[] = [];
  added = 0;
  /** Code of the first error. */
  reason: string | null = null;

  /** Does a part of the work. When it fails, its messages fail, and the other parts continue. */
  async attempt(ids: readonly string[], work: () => Promise<number>): Promise<void> {
    try {
      this.added += await work();
    } catch (error) {
      this.fail(ids, error);
    }
  }

  fail(ids: readonly string[], error: unknown): void {
    this.failed.push(...ids);
    this.reason ??= describeFailure(error);
  }
}
