import type { EventTopic } from '#shared/core/event-types.ts';
import { computeDetectionDelay } from '#shared/core/events/detection-delay.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { keepLease } from './lease.ts';
import type { LogItem } from './ports.ts';
import { isFull, type PollRun } from './run.ts';

/**
 * Publishes what earlier polls committed and nobody knows to be published: what lies in the log behind the cursor of each
 * topic (rule 3).
 */
export async function publishBacklog(run: PollRun): Promise<void> {
  const { ports, lease, memory } = run;
  for (const [topic, { logged, published }] of Object.entries(memory.state.topics)) {
    if (logged <= published) continue;
    for await (const item of ports.store.readLog(lease.connection, published, topic as EventTopic)) {
      await publishItem(item, run);
      if (isFull(memory.waiting.get(item.topic))) break;
    }
  }
}

/**
 * Publishes an item of the log, and moves the cursor of its topic when SNS has it. What follows an item that is not
 * published whole waits for the next poll; other topics go on.
 */
export async function publishItem(
  { key, topic, texts }: Omit<LogItem, 'committedAt'>,
  run: PollRun,
): Promise<void> {
  const { ports, memory } = run;
  const waiting = memory.waiting.get(topic);
  if (waiting !== undefined || ports.clock.now() >= run.publishUntil) {
    memory.waiting.set(topic, (waiting ?? 0) + texts.length);
    return;
  }
  await keepLease(run);
  const { published, unpublished, refused } = await ports.publisher.publish(topic, texts);
  memory.counts.eventsPublished += published;
  if (published > 0) memory.accepting.add(topic);
  measureDelays(topic, texts, unpublished, run);
  if (refused.length > 0)
    memory.refused.set(topic, [
      ...(memory.refused.get(topic) ?? []),
      ...refused.map((place) => readId(texts[place])),
    ]);
  // What is refused for good is passed over: it would hold its topic for ever.
  const left = unpublished.length - refused.length;
  if (left > 0) memory.waiting.set(topic, left);
  else moveCursor(topic, key, run);
}

function moveCursor(topic: EventTopic, key: string, { memory }: PollRun): void {
  const { topics } = memory.state;
  const logged = topics[topic]?.logged ?? key;
  memory.state = { ...memory.state, topics: { ...topics, [topic]: { logged, published: key } } };
}

function readId(text = '{}'): string {
  return String((JSON.parse(text) as { readonly id?: string }).id);
}

/** Seconds from each change to its publication, where that is known. */
function measureDelays(
  topic: EventTopic,
  texts: readonly string[],
  unpublished: readonly number[],
  { ports }: PollRun,
): void {
  if (ports.measureDelays === undefined || topic === 'operations') return;
  const now = ports.clock.now();
  const left = new Set(unpublished);
  const delays = texts.flatMap((text, place) => {
    const delay = left.has(place) ? null : computeDetectionDelay(JSON.parse(text).data, now);
    return delay === null ? [] : [delay];
  });
  ports.measureDelays(FEED_OF[topic], delays);
}

const FEED_OF: Readonly<Record<Exclude<EventTopic, 'operations'>, FeedName>> = {
  timesheets: 'timesheets',
  'pay-periods': 'pay-periods',
  directory: 'employees',
};
