import { type Alerting, alertingSchema } from '#shared/config/schema/people.ts';
import type { ChannelMessage } from '#shared/people/alert.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { History } from '../history.ts';
import { Random } from '../random.ts';
import { MINUTE_MS } from '../settings.ts';
import { Office } from './office.ts';

/** A channel that calls people by their names and is quiet at night, and what it got. */
export interface Night {
  readonly from: string;
  readonly to: string;
  /** Names by the ids of employees. */
  readonly people: ReadonlyMap<string, string>;
  /** By the ids of their events, in order. */
  readonly sent: readonly SentAtNight[];
}

export interface SentAtNight {
  readonly at: number;
  readonly message: ChannelMessage;
  /** Ids of the events that it tells. */
  readonly alertIds: readonly string[];
}

const CHANNEL = 'night';
const EMPLOYEES = Array.from({ length: 200 }, (_, number) => number);
/** By then every quiet time and every weekend is over. */
const LONGEST_NIGHT_MS = 4 * 24 * 60 * MINUTE_MS;

/** Tells people what was published in a history, minute by minute, through nights. */
export async function tellAtNight({ seed, journal, settings }: History): Promise<Night> {
  const random = Random.of(seed, 'night');
  const hours = { from: `${random.between(17, 23)}:00`, to: `0${random.between(4, 8)}:30` };
  const people = new Map(EMPLOYEES.map((number) => [`7_${number}`, `Person ${number}`]));
  const { name, timeZone } = settings.connection;
  const alerting = alertingSchema.parse({
    connections: [{ name, timeZone }],
    names: ['employees'],
    channels: [{ kind: 'slack', name: CHANNEL, secretName: 'acme/slack', quietHours: hours }],
  });
  const sent = await tellChannel(journal, alerting, { ...NO_NAMES, employees: people });
  return { ...hours, people, sent };
}

/** What a channel gets of what was published, released minute by minute. */
async function tellChannel(
  { publications }: History['journal'],
  alerting: Alerting,
  names: Names = NO_NAMES,
): Promise<readonly SentAtNight[]> {
  const office = new Office(alerting, names);
  const sent: SentAtNight[] = [];
  for (const { at, text } of publications) {
    await wait(office, Math.ceil(at), sent);
    if (!text.includes('.snapshot"')) await office.collect(office.toMessages([text]));
  }
  await wait(office, office.now + LONGEST_NIGHT_MS, sent);
  return sent;
}

/** Releases what is due in each minute until an instant. */
async function wait(office: Office, until: number, sent: SentAtNight[]): Promise<void> {
  if (office.now === 0) office.now = until;
  while (office.now < until) {
    const isIdle = !(await office.hasWork());
    office.now = isIdle ? until : Math.min(until, office.now + MINUTE_MS);
    if (isIdle) continue;
    const messages: ChannelMessage[] = [];
    await office.release({
      send: (message) => void messages.push(message),
      finished: ({ message: sealed, alertIds }) => {
        const message = messages.find(({ id }) => id === sealed?.id);
        if (message !== undefined) sent.push({ at: office.now, message, alertIds });
      },
    });
  }
}
