import type { Alerting } from '../config/alerting.ts';
import type { Channel } from '../config/channel.ts';
import type { ReleaseRequest } from '../config/release-request.ts';
import { composeMessages } from '../core/alerts/digest.ts';
import { dueAlerts } from '../core/alerts/release.ts';
import { NotifierError } from '../core/errors.ts';
import type { AlertBook, ChannelOutlet, OpenChannel, SealedMessage } from '../delivery-ports.ts';
import type { Clock, Telemetry } from '../ports.ts';

/** What telling people needs from the world. */
export interface ReleasePorts {
  readonly book: AlertBook;
  readonly outlet: ChannelOutlet;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface ReleaseSettings {
  readonly alerting: Alerting;
  /** Days that alerts and their deliveries are remembered. */
  readonly retentionDays: number;
}

/** Alerts of a channel that one run looks at, those that are held included: 20 MB. Only beyond it a message is split. */
const MOST_ALERTS = 20_000;
/** A message can come back from a queue for this long, and its alerts must still be known then. */
const LEAST_DAYS = 14;
const DAY_MS = 86_400_000;

interface Run {
  readonly request: ReleaseRequest;
  readonly settings: ReleaseSettings;
  readonly ports: ReleasePorts;
}

/**
 * Tells people what waited long enough: open -> choose -> compose -> seal -> send, channel by channel. What is sealed
 * is told, whatever happens after: by this run or by the next. Of two runs at the same time one seals, and the other
 * leaves it to that one.
 *
 * A channel that fails does not stop the others. Throws `release_failed` at the end, so that somebody hears of it.
 */
export async function releaseAlerts(
  request: ReleaseRequest,
  settings: ReleaseSettings,
  ports: ReleasePorts,
): Promise<void> {
  const run: Run = { request, settings, ports };
  const failures: Failure[] = [];
  for (const channel of settings.alerting.channels) {
    const failure = await attempt(channel, run);
    if (failure !== null) failures.push(failure);
  }
  if (failures.length > 0) throw releaseFailed(failures);
}

interface Failure {
  readonly channel: string;
  readonly error: unknown;
}

async function attempt(channel: Channel, run: Run): Promise<Failure | null> {
  const { clock, telemetry } = run.ports;
  const startedAt = clock.now();
  try {
    const released = await release(channel, run);
    telemetry.report({ ...released, duration_ms: clock.now() - startedAt });
    return null;
  } catch (error) {
    // Said at the end, once the other channels had their turn.
    return { channel: channel.name, error };
  }
}

/** One channel; answers its log line. */
async function release(channel: Channel, run: Run) {
  const { ports, request } = run;
  const open = await ports.book.open(channel.name, MOST_ALERTS);
  for (const sealed of open.sealed) await deliver(channel, sealed, run);
  const due = dueAlerts(open.waiting, channel, { now: ports.clock.now(), scope: request.scope });
  const messages = composeMessages(due);
  const outcome =
    messages.length === 0 ? 'nothing' : await ports.book.seal(channel.name, open.revision, messages);
  if (outcome === 'committed') for (const sealed of messages) await deliver(channel, sealed, run);
  return lineOf(channel, open, { outcome, messages, now: ports.clock.now() });
}

/** Sent, then forgotten: after a crash in between it is sent again under the same id. */
async function deliver(channel: Channel, sealed: SealedMessage, { ports, settings }: Run): Promise<void> {
  if (sealed.message !== null) await ports.outlet.send(channel.name, sealed.message);
  const now = ports.clock.now();
  const expiresAt = now + Math.max(settings.retentionDays, LEAST_DAYS) * DAY_MS;
  await ports.book.finish(channel.name, sealed, { now, expiresAt });
}

interface Released {
  readonly outcome: 'nothing' | 'committed' | 'conflict';
  readonly messages: readonly SealedMessage[];
  readonly now: number;
}

function lineOf({ name, kind }: Channel, { waiting, sealed }: OpenChannel, released: Released) {
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
    resumed: sealed.filter(({ message }) => message !== null).length,
    waiting: waiting.length - alerts,
    oldest_ms: oldest === undefined ? 0 : Math.max(0, released.now - oldest.at),
  };
}

function releaseFailed(failures: readonly Failure[]): NotifierError {
  const texts = failures.map(
    ({ channel, error }) => `${channel}: ${String((error as Error)?.message ?? error)}`,
  );
  return new NotifierError(
    'release_failed',
    `not all channels could be told (${texts.join('; ')}); nothing is lost, the next run goes on`,
    { retryable: true, cause: failures[0]?.error },
  );
}
