import type { Receiver } from '../world/receiver.ts';
import type { Arrivals } from './notifier.ts';

/** A queue of a subscriber that the stack does not know: it gets every event. */
export const EVERYTHING_QUEUE = 'gets-everything';

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
      arrivals.set(`${kind} ${name}`, kind === 'mail' ? bodies.map(readMail) : bodies);
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
 * Compares two runs byte for byte, place by place, whatever the order: at least once means that what arrives twice
 * counts once. Returns a text for the report. Throws with the first difference.
 */
export function compareArrivals(got: Arrivals, wanted: Arrivals): string {
  const places = [...new Set([...got.keys(), ...wanted.keys()])].sort();
  const problems = places.flatMap((place) => comparePlace(place, got.get(place), wanted.get(place)));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return places.map((place) => `${new Set(got.get(place)).size} in ${place}`).join(', ');
}

function comparePlace(
  place: string,
  got: readonly string[] = [],
  wanted: readonly string[] = [],
): readonly string[] {
  const [arrived, expected] = [new Set(got), new Set(wanted)];
  const lost = [...expected].filter((text) => !arrived.has(text));
  const invented = [...arrived].filter((text) => !expected.has(text));
  if (lost.length === 0 && invented.length === 0) return [];
  const counts = `${expected.size} expected, ${arrived.size} arrived, ${lost.length} lost, ${invented.length} invented`;
  return [`${place}: ${counts}\n  lost     ${lost[0] ?? 'none'}\n  invented ${invented[0] ?? 'none'}`];
}

/** The message of SNS to a mailbox, without the ids and signature of its envelope. */
function readMail(body: string): string {
  const { Subject, Message } = JSON.parse(body) as { Subject?: string; Message: string };
  return `${Subject}\n${Message}`;
}
