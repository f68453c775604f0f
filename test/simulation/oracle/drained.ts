import type { PollEntry, Publication } from '../journal.ts';
import { topicOf } from '../ports/fake-publisher.ts';
import { lasts, type Topic } from '../spells.ts';
import { isAble, ranOutOfTime } from './able-polls.ts';
import type { Evidence } from './evidence.ts';

/** Able polls that may send one event. */
const MAX_ABLE_PUBLICATIONS = 3;

/** Every backlog drains: the next able poll sends a committed event, and it is not sent for ever. */
export function judgeBacklogs(evidence: Evidence): void {
  const { journal, waiting } = evidence.history;
  if (waiting > 0) evidence.violate('outbox', `${waiting} pointers wait when all is over`, 'drained');
  const published = Map.groupBy(journal.told, ({ text }) => text);
  judgeCommitted(evidence, published);
  for (const [text, each] of published) {
    const able = new Set(each.map(({ poll }) => poll).filter((number) => isAbleAt(evidence, number)));
    if (able.size <= MAX_ABLE_PUBLICATIONS) continue;
    evidence.violate(nameOf(text), `was sent by ${able.size} polls`, 'drained');
  }
}

function judgeCommitted(evidence: Evidence, published: ReadonlyMap<string, readonly Publication[]>): void {
  const { journal } = evidence.history;
  const lines = new Map<string, Committed[]>();
  for (const { text, at } of journal.committed) {
    const { source, subject } = evidence.read<{ source: string; subject?: string }>(text);
    const topic = topicOf(text);
    const line = topic === 'operations' ? `${source} operations` : `${source} ${subject}`;
    const earlier = lines.get(line) ?? [];
    if (earlier.some((each) => each.text === text)) continue;
    const sendings = published.get(text) ?? [];
    const sentAt = sendings[0]?.at ?? Number.POSITIVE_INFINITY;
    const last = sendings.at(-1);
    const clearedAt = last === undefined || isUnknown(evidence, last) ? Number.POSITIVE_INFINITY : last.at;
    const committed: Committed = { text, at, sentAt, clearedAt, topic, feed: source.split('/').at(-1) ?? '' };
    judgeSending(evidence, committed, earlier);
    lines.set(line, [...earlier, committed]);
  }
}

/** A committed event, and when it was first sent. */
interface Committed {
  readonly text: string;
  readonly at: number;
  readonly sentAt: number;
  /** When it was last sent: a poll that does not know of an earlier sending repeats it. Never, if none knows of it. */
  readonly clearedAt: number;
  readonly topic: Topic;
  readonly feed: string;
}

/** The answer to a sending was lost, or its poll ended before it noted that. */
function isUnknown(evidence: Evidence, { isAnswerLost, poll }: Publication): boolean {
  const sender = evidence.poll(poll);
  return isAnswerLost === true || sender?.endedAt == null || sender.failure !== null;
}

function judgeSending(evidence: Evidence, event: Committed, earlier: readonly Committed[]): void {
  const { at, sentAt, feed } = event;
  const due = evidence.history.journal.polls.find(
    (poll) => poll.startedAt > at && poll.feed === feed && mustSend(evidence, poll, { event, earlier }),
  );
  if (due !== undefined && (due.endedAt ?? 0) < sentAt)
    evidence.violate(
      nameOf(event.text),
      `was committed and not sent by the end of poll ${due.number}`,
      'drained',
    );
}

/** Whether a poll had to send an event: its topic accepts it, and no earlier event of its record waits. */
function mustSend(
  evidence: Evidence,
  poll: PollEntry,
  { event, earlier }: { readonly event: Committed; readonly earlier: readonly Committed[] },
): boolean {
  if (!isAble(evidence, poll) || ranOutOfTime(poll)) return false;
  const endedAt = poll.endedAt ?? poll.deadline;
  const refused = new Set(
    evidence.history.spells.topics
      .filter((spell) => lasts(spell, poll.startedAt) || lasts(spell, endedAt))
      .map(({ topic }) => topic),
  );
  const waiting = earlier.filter(({ clearedAt }) => clearedAt >= poll.startedAt);
  return ![...waiting, event].some(({ topic }) => refused.has(topic));
}

function isAbleAt(evidence: Evidence, number: number): boolean {
  const poll = evidence.poll(number);
  return poll !== undefined && isAble(evidence, poll);
}

function nameOf(text: string): string {
  const { type, subject, sequence } = JSON.parse(text) as Record<string, unknown>;
  return `${String(type)} ${String(subject ?? '')} ${String(sequence)}`;
}
