import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import type { Channel } from '#shared/config/schema/channel.ts';
import type { Alerting } from '#shared/config/schema/people.ts';
import { stillLasts } from '#shared/core/clock-tolerance.ts';
import { computeDeliveryRetentionMs } from '#shared/core/delivery-retention.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import { zoneOf } from '../channels.ts';
import { type ComposedMessage, composeMessages } from '../compose.ts';
import { groupEvents } from '../groups.ts';
import type { Message } from '../message.ts';
import type { WaitingEvent } from '../waiting-event.ts';
import { MAX_SEALED_MESSAGES, RELEASE_TIMEOUT_SECONDS, selectDue } from '../when.ts';
import type { ChannelBacklog, ChannelStore, SealedMessage } from './channel-store.ts';
import { ConnectionsInUse } from './connections-in-use.ts';
import type { NameReader } from './load-names.ts';
import type { PeriodReader } from './load-periods.ts';

/** Passes messages on: to the queue of a channel of Slack or Teams, or to the topic `alerts`. */
export interface ChannelSender {
  /**
   * Throws when the message was not accepted: `outlet_refused` when a retry would not help. A message sent twice under
   * one id goes out once where the medium allows it.
   */
  send(channel: string, message: Message): Promise<void>;
}

export interface AlertPorts {
  readonly channelStore: ChannelStore;
  readonly names: NameReader;
  readonly periods: PeriodReader;
  readonly sender: ChannelSender;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface AlertSettings {
  readonly alerting: Alerting;
  /** Days for which events and their deliveries are remembered. */
  readonly retentionDays: number;
}

/** Events of a channel that one run reads, including those held by quiet hours: some 10 MB. */
const MAX_EVENTS = 5_000;
/** Longer than a run can last, with a margin for clocks that differ. */
const OWNED_MS = (RELEASE_TIMEOUT_SECONDS + 30) * 1_000;

interface Release {
  readonly scope: ReleaseRequest['scope'];
  readonly settings: AlertSettings;
  readonly ports: AlertPorts;
}
interface ReleaseRun extends Release {
  readonly connections: ConnectionsInUse;
}

/**
 * Sends what is due to channels: open -> select -> compose -> seal -> send, one by one. A sealed message is sent in any
 * case: by this run, or by a later one once this run must be over. Of two concurrent runs only one can seal.
 *
 * A channel that fails does not stop the others, and a refused message does not stop those behind it. Throws
 * `release_failed` at the end, so that an alarm sounds.
 */
export async function releaseChannels(channels: readonly Channel[], release: Release): Promise<void> {
  const connections = new ConnectionsInUse(release.settings.alerting, release.ports);
  const run: ReleaseRun = { ...release, connections };
  const failures: Failure[] = [];
  for (const channel of channels) {
    const failure = await attempt(channel, run);
    if (failure !== null) failures.push(failure);
  }
  if (failures.length > 0) throw releaseFailedError(failures);
}

interface Failure {
  readonly channel: string;
  readonly error: unknown;
}

async function attempt(channel: Channel, run: ReleaseRun): Promise<Failure | null> {
  const { clock, telemetry } = run.ports;
  const startedAt = clock.now();
  try {
    const { line, refusal } = await release(channel, run);
    telemetry.report({ ...line, duration_ms: clock.now() - startedAt });
    return refusal === null ? null : { channel: channel.name, error: refusal };
  } catch (error) {
    // Thrown at the end, after the other channels.
    return { channel: channel.name, error };
  }
}

/** One channel. Returns its log line, and a refusal of a message or null. */
async function release(channel: Channel, run: ReleaseRun) {
  const { channelStore, clock } = run.ports;
  const open = await channelStore.open(channel.name, MAX_EVENTS);
  const left = await claimLeftovers(channel, open.sealed, run);
  const refusals = [await deliverAll(channel, left, run)];
  const now = clock.now();
  // What is beyond waits for the next run, a minute later.
  const composed = (await compose(channel, open.waiting, { run, now })).slice(0, MAX_SEALED_MESSAGES);
  const messages = composed.map(({ message, eventIds }) => ({
    ...{ message, eventIds, ownedUntil: now + OWNED_MS },
  }));
  const outcome =
    messages.length === 0 ? 'nothing' : await channelStore.seal(channel.name, open.revision, messages);
  if (outcome === 'committed') refusals.push(await deliverAll(channel, messages, run));
  const line = buildLogLine(channel, open, { outcome, messages, resumed: left, now: clock.now() });
  // Told as a failure once: people read where to look, and an alarm sounds.
  const unrendered = outcome === 'committed' ? composed.find(({ error }) => error !== undefined) : undefined;
  return { line, refusal: refusals.find((refusal) => refusal !== null) ?? unrendered?.error ?? null };
}

/** The messages of the events that are due. */
async function compose(
  { quietHours, for: readers }: Channel,
  waiting: readonly WaitingEvent[],
  { run, now }: { readonly run: ReleaseRun; readonly now: number },
): Promise<ComposedMessage[]> {
  const { alerting } = run.settings;
  const timeZoneOf = (connection: string) => zoneOf(connection, alerting.connections);
  const due = selectDue(groupEvents(waiting), { quietHours, timeZoneOf }, { now, scope: run.scope });
  if (due.length === 0) return [];
  const { serviceName, recordUrl, consoleUrl } = alerting;
  const connections = await run.connections.forGroups(due);
  const isForPay = readers !== 'operations';
  return composeMessages(due, { now, connections, isForPay, serviceName, recordUrl, consoleUrl });
}

/** Claims messages that earlier runs left. With scope `all` no other run can be active, so it claims all of them. */
async function claimLeftovers(
  channel: Channel,
  sealed: readonly SealedMessage[],
  { scope, ports }: ReleaseRun,
) {
  const now = ports.clock.now();
  const claimed: SealedMessage[] = [];
  for (const message of sealed) {
    if (scope === 'due' && stillLasts(message.ownedUntil, now, OWNED_MS)) continue;
    const ownedUntil = now + OWNED_MS;
    if (await ports.channelStore.claim(channel.name, message, ownedUntil))
      claimed.push({ ...message, ownedUntil });
  }
  return claimed;
}

/** Returns the last refusal, or null. A refused message stays stored, for investigation. */
async function deliverAll(channel: Channel, messages: readonly SealedMessage[], run: ReleaseRun) {
  let refusal: NotifierError | null = null;
  for (const sealed of messages) {
    try {
      await deliver(channel, sealed, run);
    } catch (error) {
      if (!(error instanceof NotifierError) || error.code !== 'outlet_refused') throw error;
      refusal = error;
    }
  }
  return refusal;
}

/** Sends, then deletes: after a crash in between the message is sent again under the same id. */
async function deliver(
  channel: Channel,
  sealed: SealedMessage,
  { ports, settings }: ReleaseRun,
): Promise<void> {
  if (sealed.message !== null) await ports.sender.send(channel.name, sealed.message);
  const now = ports.clock.now();
  const expiresAt = now + computeDeliveryRetentionMs(settings.retentionDays);
  await ports.channelStore.finish(channel.name, sealed, { now, expiresAt });
}

interface ReleaseResult {
  readonly outcome: 'nothing' | 'committed' | 'conflict';
  readonly messages: readonly SealedMessage[];
  readonly resumed: readonly SealedMessage[];
  readonly now: number;
}

function buildLogLine({ name, kind }: Channel, { waiting }: ChannelBacklog, released: ReleaseResult) {
  const sent = released.outcome === 'committed' ? released.messages : [];
  const events = sent.reduce((sum, { eventIds }) => sum + eventIds.length, 0);
  const [oldest] = waiting;
  return {
    outcome: 'alerts.released',
    channel: name,
    kind,
    result: released.outcome,
    messages: sent.filter(({ message }) => message !== null).length,
    events,
    /** Messages that an earlier run left. */
    resumed: released.resumed.filter(({ message }) => message !== null).length,
    waiting: waiting.length - events,
    oldest_ms: oldest === undefined ? 0 : Math.max(0, released.now - oldest.at),
  };
}

function releaseFailedError(failures: readonly Failure[]): NotifierError {
  const texts = failures.map(
    ({ channel, error }) => `${channel}: ${String((error as Error)?.message ?? error)}`,
  );
  return new NotifierError(
    'release_failed',
    `some channels could not be served (${texts.join('; ')}); nothing is lost, the next run continues`,
    { retryable: true, cause: failures[0]?.error },
  );
}
