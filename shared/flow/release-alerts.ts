import type { ReleaseRequest } from '../config/requests/release-request.ts';
import type { Alerting } from '../config/schema/alerting.ts';
import type { Channel } from '../config/schema/channel.ts';
import { composeMessages } from '../core/alerts/digest.ts';
import { RELEASE_TIMEOUT_SECONDS, selectDueAlerts } from '../core/alerts/release.ts';
import { computeDeliveryRetention } from '../core/delivery-retention.ts';
import { NotifierError } from '../core/errors.ts';
import type { AlertStore, ChannelBacklog, ChannelSender, SealedMessage } from '../delivery-ports.ts';
import type { Clock, Telemetry } from '../ports.ts';

/** What telling people needs from the world. */
export interface ReleasePorts {
  readonly alertStore: AlertStore;
  readonly sender: ChannelSender;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface ReleaseSettings {
  readonly alerting: Alerting;
  /** Days that alerts and their deliveries are remembered. */
  readonly retentionDays: number;
}

/** Alerts of a channel that one run looks at, those that are held included: 20 MB. Only beyond it a message is split. */
const MAX_ALERTS = 20_000;
const DAY_MS = 86_400_000;
/** A run that was to send a message is surely over by then, whatever the clocks of two machines say. */
const OWNED_MS = (RELEASE_TIMEOUT_SECONDS + 30) * 1_000;

interface ReleaseRun {
  readonly request: ReleaseRequest;
  readonly settings: ReleaseSettings;
  readonly ports: ReleasePorts;
}

/**
 * Tells people what waited long enough: open -> choose -> compose -> seal -> send, channel by channel. What is sealed
 * is told, whatever happens after: by this run, or by another once this one is surely over. Of two runs at the same time
 * one seals, and the other leaves it to that one.
 *
 * A channel that fails does not stop the others, nor does a message that is refused for good stop those behind it.
 * Throws `release_failed` at the end, so that somebody hears of it.
 */
export async function releaseAlerts(
  request: ReleaseRequest,
  settings: ReleaseSettings,
  ports: ReleasePorts,
): Promise<void> {
  const run: ReleaseRun = { request, settings, ports };
  const failures: Failure[] = [];
  for (const channel of settings.alerting.channels) {
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
    // Said at the end, once the other channels had their turn.
    return { channel: channel.name, error };
  }
}

/** One channel; answers its log line, and the last refusal of a message. */
async function release(channel: Channel, run: ReleaseRun) {
  const { ports, request } = run;
  const open = await ports.alertStore.open(channel.name, MAX_ALERTS);
  const left = await claimLeftovers(channel, open.sealed, run);
  const refusals = [await deliverAll(channel, left, run)];
  const due = selectDueAlerts(open.waiting, channel, { now: ports.clock.now(), scope: request.scope });
  const ownedUntil = ports.clock.now() + OWNED_MS;
  const messages = composeMessages(due).map((message) => ({ ...message, ownedUntil }));
  const outcome =
    messages.length === 0 ? 'nothing' : await ports.alertStore.seal(channel.name, open.revision, messages);
  if (outcome === 'committed') refusals.push(await deliverAll(channel, messages, run));
  const line = buildLogLine(channel, open, { outcome, messages, resumed: left, now: ports.clock.now() });
  return { line, refusal: refusals.find((refusal) => refusal !== null) ?? null };
}

/** What earlier runs left and is ours now. Where nobody else can run, as at the end of one machine, all of it. */
async function claimLeftovers(
  channel: Channel,
  sealed: readonly SealedMessage[],
  { request, ports }: ReleaseRun,
) {
  const now = ports.clock.now();
  const ours: SealedMessage[] = [];
  for (const message of sealed) {
    if (request.scope === 'due' && message.ownedUntil > now) continue;
    const ownedUntil = now + OWNED_MS;
    if (await ports.alertStore.claim(channel.name, message, ownedUntil))
      ours.push({ ...message, ownedUntil });
  }
  return ours;
}

/** Answers the refusal of a message, which stays where it is for a person to see. */
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

/** Sent, then forgotten: after a crash in between it is sent again under the same id. */
async function deliver(
  channel: Channel,
  sealed: SealedMessage,
  { ports, settings }: ReleaseRun,
): Promise<void> {
  if (sealed.message !== null) await ports.sender.send(channel.name, sealed.message);
  const now = ports.clock.now();
  const expiresAt = now + computeDeliveryRetention(settings.retentionDays * DAY_MS);
  await ports.alertStore.finish(channel.name, sealed, { now, expiresAt });
}

interface ReleaseResult {
  readonly outcome: 'nothing' | 'committed' | 'conflict';
  readonly messages: readonly SealedMessage[];
  readonly resumed: readonly SealedMessage[];
  readonly now: number;
}

function buildLogLine({ name, kind }: Channel, { waiting }: ChannelBacklog, released: ReleaseResult) {
  const told = released.outcome === 'committed' ? released.messages : [];
  const alerts = told.reduce((sum, { alertIds }) => sum + alertIds.length, 0);
  const [oldest] = waiting;
  return {
    outcome: 'alerts.released',
    channel: name,
    kind,
    result: released.outcome,
    messages: told.filter(({ message }) => message !== null).length,
    alerts,
    /** Messages that an earlier run left. */
    resumed: released.resumed.filter(({ message }) => message !== null).length,
    waiting: waiting.length - alerts,
    oldest_ms: oldest === undefined ? 0 : Math.max(0, released.now - oldest.at),
  };
}

function releaseFailedError(failures: readonly Failure[]): NotifierError {
  const texts = failures.map(
    ({ channel, error }) => `${channel}: ${String((error as Error)?.message ?? error)}`,
  );
  return new NotifierError(
    'release_failed',
    `not all channels could be told (${texts.join('; ')}); nothing is lost, the next run goes on`,
    { retryable: true, cause: failures[0]?.error },
  );
}
