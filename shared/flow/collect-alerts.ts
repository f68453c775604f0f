import { buildAlert } from '../core/alerts/build-alert.ts';
import { movesProcessing } from '../core/alerts/processing.ts';
import { matchRules, readFacts } from '../core/alerts/rules.ts';
import { NotifierError } from '../core/errors.ts';
import { isOfLaterVersion } from '../core/messages/later-events.ts';
import { type DescribableEvent, describableEventSchema } from '../core/messages/sentences.ts';
import type { BatchResult, QueueMessage } from '../delivery-ports.ts';
import { AlertCollection, type CollectPorts, type CollectSettings } from './alerts/collection.ts';
import { observeProcessing } from './alerts/observe-processing.ts';

/** What a message turned out to be. */
type Received =
  | { readonly outcome: 'event'; readonly id: string; readonly event: DescribableEvent }
  /** Told when it was new; people are not told of what is sent again. */
  | { readonly outcome: 'replayed'; readonly id: string }
  /** Of a type, or of a version of one, that a later version of ours publishes: there are no words for it yet. */
  | { readonly outcome: 'unknown'; readonly id: string }
  | { readonly outcome: 'strange'; readonly id: string };
type Told = Extract<Received, { outcome: 'event' }>;

/**
 * A batch of events becomes alerts that wait for their channels: parse -> match -> say -> add. Each channel is given an
 * alert once, whoever brings its event again, so that any message may come back. Those that cannot be read, or could
 * not be stored, do: the queue takes them to the dead-letter queue in the end. They do not stop the others.
 */
export async function collectAlerts(
  messages: readonly QueueMessage[],
  settings: CollectSettings,
  ports: CollectPorts,
): Promise<BatchResult> {
  const startedAt = ports.clock.now();
  const collection = new AlertCollection(settings, ports);
  const tally = new CollectTally();
  const received = messages.map((message) => classifyMessage(message, settings.replayedAttribute));
  const events = received.filter((each) => each.outcome === 'event');
  for (const told of events) await tally.attempt([told.id], () => collect(told.event, collection));
  for (const group of groupByConnection(events.filter(({ event }) => movesProcessing(event)))) {
    await tally.attempt(
      group.map(({ id }) => id),
      () =>
        observeProcessing(
          group.map(({ event }) => event),
          collection,
        ),
    );
  }
  const unknown = received.filter(({ outcome }) => outcome === 'unknown').length;
  const strange = received.filter(({ outcome }) => outcome === 'strange').map(({ id }) => id);
  const failed = [...new Set([...strange, ...tally.failed])];
  ports.telemetry.report({
    outcome: 'alerts.collected',
    result: failed.length === 0 ? 'complete' : 'incomplete',
    reason: tally.reason ?? (strange.length > 0 ? 'message_strange' : null),
    messages: messages.length,
    events: events.length,
    replayed: received.filter(({ outcome }) => outcome === 'replayed').length,
    ...(unknown === 0 ? {} : { unknown }),
    strange: strange.length,
    failed: failed.length,
    added: tally.added,
    duration_ms: ports.clock.now() - startedAt,
  });
  return { failed };
}

function classifyMessage({ id, body, attributes }: QueueMessage, replayedAttribute: string): Received {
  if (attributes[replayedAttribute] === 'true') return { outcome: 'replayed', id };
  const value = parseJson(body);
  const parsed = describableEventSchema.safeParse(value);
  if (parsed.success) return { outcome: 'event', id, event: parsed.data };
  return { outcome: isOfLaterVersion(value) ? 'unknown' : 'strange', id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is no event of ours.
    return null;
  }
}

/** Gives an event to all channels that are to hear of it. */
async function collect(event: DescribableEvent, collection: AlertCollection): Promise<number> {
  const { alerting } = collection.settings;
  const timeZone = collection.zoneOf(event.connection);
  const channels = alerting.channels.map(({ name }) => name);
  let added = 0;
  for (const match of matchRules(readFacts(event, timeZone), alerting.rules, channels)) {
    const names = await collection.namesFor(match.channel, event.connection);
    const alert = buildAlert(event, {
      match,
      names,
      timeZone,
      namesConnection: collection.namesConnection,
    });
    added += await collection.ports.alertStore.add(match.channel, [alert], collection.expiresAt);
  }
  return added;
}

function groupByConnection(events: readonly Told[]): Told[][] {
  return [...Map.groupBy(events, ({ event }) => event.connection).values()];
}

/** What came of the parts of a batch. */
class CollectTally {
  readonly failed: string[] = [];
  added = 0;
  /** Code of the first error. */
  reason: string | null = null;

  /** Does a part of the work; when it fails, the messages it is for come back, and the others go on. */
  async attempt(ids: readonly string[], work: () => Promise<number>): Promise<void> {
    try {
      this.added += await work();
    } catch (error) {
      this.failed.push(...ids);
      this.reason ??= describeError(error);
    }
  }
}

/** A code, or of a bug where it is: its message may hold what is not to be logged. */
function describeError(error: unknown): string {
  if (error instanceof NotifierError) return error.code;
  if (!(error instanceof Error)) return 'unexpected';
  return `${error.name} ${error.stack?.match(/^\s+at .+$/m)?.[0].trim() ?? ''}`.trim();
}
