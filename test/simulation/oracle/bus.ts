import type { Bussed } from '../breadth/bus.ts';
import type { Violation } from './evidence.ts';

/** An event as rules of a bus see it. */
interface Entry {
  readonly EventBusName?: string | undefined;
  readonly Source?: string | undefined;
  readonly DetailType?: string | undefined;
  readonly Detail?: string | undefined;
  readonly Time?: Date | undefined;
  readonly Resources?: readonly string[] | undefined;
}

interface Published {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
}

/**
 * A bus has every event that it can take, byte for byte as it was published, under the type, source and time by which
 * rules select it; what it never takes is in the dead letters. What it took comes again only where nobody heard that, or
 * the function was killed. In a request events stand in the order of the queue; between requests there is none to keep.
 */
export function judgeBus({ queued, taken, killed, dead, isMalformed, isStuck }: Bussed): Violation[] {
  const all = taken.flatMap(({ entries }) => entries);
  const arrived = new Set(all.map(({ Detail = '' }) => Detail));
  const heard = countsOf(taken.flatMap(({ entries, isHeard }) => (isHeard ? entries : [])));
  const buried = new Set(dead);
  const bodies = Map.groupBy(queued, ({ body }) => body);
  const problems = [...bodies].flatMap(([body, messages]) => {
    const { id, type } = JSON.parse(body) as Published;
    const name = `${type} ${id}`;
    const isDead = messages.some((message) => buried.has(message.id));
    if (isMalformed(body)) return isDead ? [] : [`${name} is not taken, and in no dead letters`];
    const most = messages.reduce((sum, message) => sum + 1 + (killed.get(message.id) ?? 0), 0);
    const got = heard.get(body) ?? 0;
    return [
      ...(arrived.has(body) ? [] : [`lost: the bus never got ${name}`]),
      ...(isDead ? [`${name} was given up, though the bus takes it`] : []),
      ...(got > most ? [`the bus took ${name} ${got} times, ${most} at most`] : []),
    ];
  });
  const strangers = [...arrived].filter((text) => !bodies.has(text));
  const wrong = [
    ...(isStuck ? ['the queue never becomes empty'] : []),
    ...problems,
    ...strangers.map((text) => `it got what was never published: ${text.slice(0, 80)}`),
    ...all.flatMap((entry) => misrouted(entry)),
    ...wrongMarks(all, queued),
    ...outOfOrder(taken, queued),
  ];
  return wrong.map((text) => ({ check: 'protocol', text: `bus: ${text}` }));
}

function countsOf(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { Detail = '' } of entries) counts.set(Detail, (counts.get(Detail) ?? 0) + 1);
  return counts;
}

/** What rules select by is that of the event. */
function misrouted({ EventBusName, Source, DetailType, Detail = '', Time }: Entry): string[] {
  const { id, source, type, time } = JSON.parse(Detail) as Published;
  const isRight =
    EventBusName === 'events' &&
    Source === source &&
    DetailType === type &&
    Time?.getTime() === Date.parse(time);
  return isRight ? [] : [`${type} ${id} came as ${DetailType} of ${Source} at ${Time?.toISOString()}`];
}

/** Only what was sent again says so. */
function wrongMarks(entries: readonly Entry[], queued: Bussed['queued']): string[] {
  const marks = new Map<string, Set<string>>();
  for (const { body, attributes } of queued)
    marks.set(body, (marks.get(body) ?? new Set()).add(Object.keys(attributes).join()));
  return entries.flatMap(({ Detail = '', Resources = [] }) =>
    marks.get(Detail)?.has(Resources.join()) === false
      ? [`it got an event marked "${Resources.join()}"`]
      : [],
  );
}

/** Within one request events stand as in the queue. */
function outOfOrder(taken: Bussed['taken'], queued: Bussed['queued']): string[] {
  const places = new Map<string, number[]>();
  for (const [place, { body }] of queued.entries()) places.set(body, [...(places.get(body) ?? []), place]);
  return taken.flatMap(({ entries }) => {
    let after = -1;
    for (const { Detail = '' } of entries) {
      const known = places.get(Detail) ?? [];
      const place = known.find((each) => each > after);
      if (place === undefined && known.length > 0)
        return ['a request has events in another order than the queue'];
      after = place ?? after;
    }
    return [];
  });
}
