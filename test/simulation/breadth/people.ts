import { alertingSchema } from '#shared/config/schema/people.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { ChannelMessage } from '#shared/people/alert.ts';
import type { SealedMessage } from '#shared/people/flow/collection.ts';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import { Office } from './office.ts';

/** Messages to people about a history, as a channel gets by default. */
export interface ToldPeople {
  /** Finished messages, with the ids of their alerts. */
  readonly finished: readonly SealedMessage[];
  /** Sent messages by id. */
  readonly sent: ReadonlyMap<string, ChannelMessage>;
  /** Attempts to send that failed. */
  readonly failures: number;
}

const CHANNEL = 'payroll';
const MAX_BATCH = 10;
/** A failed run owns its messages for less. */
const LATER_MS = 5 * MINUTE_MS;
/** Longer than any weekend, over which some news wait. */
const MAX_LATER_RUNS = 4 * 24 * 12;

/** Collects and releases alerts of published events: in batches, some repeated, to a channel that sometimes fails. */
export async function tellPeople(
  { publications }: Journal,
  { connection }: Settings,
  random: Random,
): Promise<ToldPeople> {
  const office = new Office(
    alertingSchema.parse({
      connections: [{ name: connection.name, timeZone: connection.timeZone }],
      channels: [{ kind: 'slack', name: CHANNEL, secretName: 'acme/slack' }],
    }),
  );
  const told: Told = { finished: [], sent: new Map(), failures: 0 };
  const release = () => releaseTo(told, office, random);
  for (let next = 0; next < publications.length; ) {
    const size = random.between(1, MAX_BATCH);
    const batch = publications.slice(next, next + size);
    next += size;
    office.now = Math.max(office.now, Math.ceil(batch.at(-1)?.at ?? 0));
    // The subscription of alerts names its types, and snapshots are none of them.
    const messages = office.toMessages(batch.map(({ text }) => text).filter((text) => !isSnapshot(text)));
    // Sometimes a message arrives again after it was collected.
    const rounds = random.chance(0.1) ? 2 : 1;
    for (let round = 0; round < rounds; round += 1) await office.collect(messages);
    if (random.chance(0.3)) await release();
  }
  for (let runs = 0; await office.hasWork(); runs += 1) {
    if (runs > MAX_LATER_RUNS) break;
    office.now += LATER_MS;
    await release();
  }
  return told;
}

interface Told extends ToldPeople {
  readonly finished: SealedMessage[];
  readonly sent: Map<string, ChannelMessage>;
  failures: number;
}

/** One run, which fails when the channel does. */
async function releaseTo(told: Told, office: Office, random: Random): Promise<void> {
  const send = (message: ChannelMessage) => {
    if (random.chance(0.15)) {
      told.failures += 1;
      throw new NotifierError('outlet_failed', 'the channel failed on purpose', { retryable: true });
    }
    told.sent.set(message.id, message);
  };
  const finished = (sealed: SealedMessage) => void told.finished.push(sealed);
  await office.release({ send, finished }).catch((error: unknown) => {
    if (!(error instanceof NotifierError)) throw error;
  });
}

function isSnapshot(text: string): boolean {
  return (JSON.parse(text) as { readonly type: string }).type.endsWith('.snapshot');
}
