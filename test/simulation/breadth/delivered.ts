import { type Answer, isTaken, WebhookWorld } from '#test/support/webhook-world.ts';
import type { Journal } from '../journal.ts';
import { topicOf } from '../ports/fake-publisher.ts';
import type { Random } from '../random.ts';
import { MINUTE_MS } from '../settings.ts';
import { isAmong } from './share.ts';

/** What one endpoint got of a history, and what was given up. */
export interface Delivered {
  /** Texts that came to its queue, some of them more than once. */
  readonly queued: readonly string[];
  /** Texts that it took, as they came. */
  readonly taken: readonly string[];
  /** Texts that were given up. */
  readonly givenUp: readonly string[];
  /** Ids of events that were told to have failed. */
  readonly toldFailed: readonly string[];
  /** Attempts that it did not take. */
  readonly refusals: number;
}

/** Of the records, the share of which an endpoint takes nothing at all. */
const HATED_SHARE = 0.02;
/** An event is on its way from its topic to the queue for less than an event waits for one it never saw. */
const MAX_DELAY_MS = MINUTE_MS;
const LONGEST_OUTAGE_MINUTES = 600;

/** Delivers what was published, in any order and more than once, to an endpoint that wants a record's events in order. */
export async function deliver({ publications }: Journal, random: Random): Promise<Delivered> {
  const world = new WebhookWorld({ order: 'record', topics: ['timesheets', 'clockings', 'pay-periods'] });
  const [first] = publications;
  world.now = Math.floor(first?.at ?? world.now);
  world.random = () => random.next();
  world.endpoint = endpointOf(world.now, random);
  const queued: string[] = [];
  for (const { at, text } of publications) {
    if (topicOf(text) === 'operations') continue;
    await world.run(Math.ceil(at));
    for (let copies = random.chance(0.05) ? 2 : 1; copies > 0; copies -= 1) {
      world.publish(text, { delayMs: random.between(0, random.chance(0.2) ? MAX_DELAY_MS : 2_000) });
      queued.push(text);
    }
  }
  await world.run();
  const taken = world.arrivals.filter(isTaken).map(({ request }) => request.body);
  return {
    queued,
    taken,
    givenUp: world.dead.map(({ body }) => readText(body)),
    toldFailed: world.published
      .filter(({ type }) => type.endsWith('delivery.failed'))
      .map(({ subject }) => subject),
    refusals: world.arrivals.length - taken.length,
  };
}

/** Busy now and then, away for hours, and deaf for good to what happens to a few records. */
function endpointOf(startAt: number, random: Random): WebhookWorld['endpoint'] {
  const awayFrom = startAt + random.between(0, LONGEST_OUTAGE_MINUTES) * MINUTE_MS;
  const awayTo = awayFrom + random.between(1, LONGEST_OUTAGE_MINUTES) * MINUTE_MS;
  const salt = random.between(0, 1_000_000);
  return ({ body }, now): Answer => {
    const { subject } = JSON.parse(body) as { subject: string };
    if (awayFrom <= now && now < awayTo) return 503;
    if (isAmong(subject, HATED_SHARE, salt)) return 500;
    if (random.chance(0.05)) return 'timeout';
    if (random.chance(0.05)) return { status: 429, retryAfterMs: random.between(1, 120) * 1_000 };
    return random.chance(0.05) ? 500 : 204;
  };
}

/** A message that is given up has its event as it was published. */
function readText(body: string): string {
  return (JSON.parse(body) as { event: string }).event;
}
