import type { Receiver } from '../world/receiver.ts';
import type { Arrivals } from './notifier.ts';

/** A queue of a subscriber that the stack does not know: it gets every event. */
export const EVERYTHING_QUEUE = 'gets-everything';

/** An id; in a trace its last digits follow once more, which are then part of its name. */
const EVENT_ID = /\b([0-9a-f]{16}([0-9a-f]{16}))(?:-\2)?\b/g;
const MILLISECONDS = /(T\d\d:\d\d:\d\d)\.\d{3}Z/g;

/** A queue in which something arrives. `mail`: in place of mailboxes. */
export interface Place {
  readonly kind: 'queue' | 'mail';
  readonly name: string;
  readonly url: string;
}

interface ArrivalOptions {
  readonly places: readonly Place[];
  readonly receiver: Receiver;
  /** Returns the bodies of everything in a queue, and deletes it. */
  readonly drain: (queueUrl: string) => Promise<readonly string[]>;
}

export async function collectArrivals({ places, receiver, drain }: ArrivalOptions): Promise<Arrivals> {
  const arrivals = new Map(receiver.take());
  for (const { kind, name, url } of places) {
    const bodies = await drain(url);
    if (bodies.length > 0) {
      arrivals.set(`${kind} ${name}`, bodies.map(READERS[kind]));
    }
  }
  return arrivals;
}

/** Adds what came later. */
export function joinArrivals(earlier: Arrivals, later: Arrivals): Arrivals {
  const joined = new Map(earlier);
  for (const [place, bodies] of later) joined.set(place, [...(joined.get(place) ?? []), ...bodies]);
  return joined;
}

/**
 * Compares two runs place by place, byte for byte but for what `nameInstants` replaces, and whatever the order: at least
 * once means that what arrives twice counts once. Returns a text for the report. Throws with the first difference of
 * each place.
 */
export function compareArrivals(got: Arrivals, wanted: Arrivals): string {
  const [named, expected] = [nameInstants(got), nameInstants(wanted)];
  const places = [...new Set([...got.keys(), ...wanted.keys()])].sort();
  const problems = places.flatMap((place) => comparePlace(place, named.get(place), expected.get(place)));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return places.map((place) => `${new Set(got.get(place)).size} in ${place}`).join(', ');
}

/**
 * Instants are cut to seconds: requests to a source are some milliseconds apart, in an order that differs from run to
 * run. The epoch of a record is such an instant and goes into the ids of its events, so these become record, epoch and
 * sequence. Only ids of events that arrived are replaced.
 */
function nameInstants(arrivals: Arrivals): Arrivals {
  const names = new Map(
    (arrivals.get(`queue ${EVERYTHING_QUEUE}`) ?? []).map((text) => {
      const { id, source, subject, epoch, sequence, type } = JSON.parse(text) as Record<string, string>;
      return [id, cutInstants([source, subject, epoch, sequence, type].join(' '))] as const;
    }),
  );
  const rename = (text: string) =>
    cutInstants(text).replaceAll(EVENT_ID, (text, id) => names.get(id) ?? text);
  return new Map([...arrivals].map(([place, texts]) => [place, texts.map(rename)]));
}

function cutInstants(text: string): string {
  return text.replaceAll(MILLISECONDS, '$1Z');
}

function comparePlace(
  place: string,
  got: readonly string[] = [],
  wanted: readonly string[] = [],
): readonly string[] {
  // SQS keeps no order, and so the events of one instant have none in a message to people.
  const sort = /^(?:slack|teams|mail) /.test(place) ? sortLines : (text: string) => text;
  const [arrived, expected] = [new Set(got.map(sort)), new Set(wanted.map(sort))];
  const lost = [...expected].filter((text) => !arrived.has(text));
  const invented = [...arrived].filter((text) => !expected.has(text));
  if (lost.length === 0 && invented.length === 0) return [];
  const counts = `${expected.size} expected, ${arrived.size} arrived, ${lost.length} lost, ${invented.length} invented`;
  return [`${place}: ${counts}\n  lost     ${lost[0] ?? 'none'}\n  invented ${invented[0] ?? 'none'}`];
}

/** The lines of a message, of which Slack's is JSON. */
function sortLines(text: string): string {
  return text
    .split(/\n|\\n|"/)
    .sort()
    .join('\n');
}

const READERS: Readonly<Record<Place['kind'], (body: string) => string>> = {
  queue: (body) => body,
  mail: readMail,
};

/** The message of SNS to a mailbox, without the ids and signature of its envelope. */
function readMail(body: string): string {
  const { Subject, Message } = JSON.parse(body) as { Subject?: string; Message: string };
  return `${Subject}\n${Message}`;
}
