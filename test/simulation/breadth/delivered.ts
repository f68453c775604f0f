import { type Answer, isTaken, WebhookWorld } from '#test/support/webhook-world.ts';
import type { Journal } from '../journal.ts';
import { topicOf } from '../ports/fake-publisher.ts';
import type { Random } from '../random.ts';
import { MINUTE_MS } from '../settings.ts';
import { isAmong } from './share.ts';

/** Events of a history that an endpoint received, and those that were given up. */
export interface Delivered {
  /** Texts in its queue, some of them more than once. */
  readonly queued: readonly string[];
  /** Texts that it accepted, in order of arrival. */
  readonly taken: readonly string[];
  readonly givenUp: readonly string[];
  /** Ids in published events about failed deliveries. */
  readonly toldFailed: readonly string[];
  /** Attempts that it refused. */
  readonly refusals: number;
}

/** Share of the records whose events an endpoint always refuses. */
const REFUSED_SHARE = 0.02;
/** From topic to queue. */
const MAX_DELAY_MS = MINUTE_MS;
const MAX_OUTAGE_MINUTES = 600;

/** Delivers published events, out of order and repeated, to an endpoint. */
export async function deliver({ publications }: Journal, random: Random): Promise<Delivered> {
  const world = new WebhookWorld({ topics: ['timesheets', 'clockings', 'pay-periods'] });
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
      .filter(({ text }) => text.includes('"kind":"delivery_failed"') && text.includes('trouble.began'))
      .map(({ subject }) => subject),
    refusals: world.arrivals.length - taken.length,
  };
}

/** Sometimes busy, down for hours once, and refusing all events of a few records. */
function endpointOf(startAt: number, random: Random): WebhookWorld['endpoint'] {
  const awayFrom = startAt + random.between(0, MAX_OUTAGE_MINUTES) * MINUTE_MS;
  const awayTo = awayFrom + random.between(1, MAX_OUTAGE_MINUTES) * MINUTE_MS;
  const salt = random.between(0, 1_000_000);
  return ({ body }, now): Answer => {
    const { subject } = JSON.parse(body) as { subject: string };
    if (awayFrom <= now && now < awayTo) return 503;
    if (isAmong(subject, REFUSED_SHARE, salt)) return 500;
    if (random.chance(0.05)) return 'timeout';
    if (random.chance(0.05)) return { status: 429, retryAfterMs: random.between(1, 120) * 1_000 };
    return random.chance(0.05) ? 500 : 204;
  };
}

/** The event in a message of the dead-letter queue. */
function readText(body: string): string {
  return (JSON.parse(body) as { event: string }).event;
}
