import type { PollEntry, Publication } from '../journal.ts';
import { topicOf } from '../ports/fake-publisher.ts';
import { lasts, type Topic } from '../spells.ts';
import { isAble, ranOutOfTime } from './able-polls.ts';
import type { Evidence } from './evidence.ts';

/** Able polls that may send one event, all but the first in vain. */
const MAX_ABLE_PUBLICATIONS = 3;

/** Every backlog drains: what is committed goes out by the next able poll, and is not sent for ever. */
export function judgeBacklogs(evidence: Evidence): void {
  const { journal, waiting } = evidence.history;
  if (waiting > 0) evidence.violate('outbox', `${waiting} pointers wait when all is over`, 'drained');
  const published = Map.groupBy(journal.publications, ({ text }) => text);
  judgeCommitted(evidence, published);
  for (const [text, each] of published) {
    const able = new Set(each.map(({ poll }) => poll).filter((number) => isAbleAt(evidence, number)));
    if (able.size <= MAX_ABLE_PUBLICATIONS) continue;
    evidence.violate(nameOf(text), `was sent by ${able.size} polls`, 'drained');
  }
}

function judgeCommitted(evidence: Evidence, published: ReadonlyMap<string, readonly Publication[]>): void {
  const { journal } = evidence.history;
  const seen = new Set<string>();
  for (const { text, at } of journal.committed) {
    if (seen.has(text)) continue;
    seen.add(text);
    const sentAt = published.get(text)?.[0]?.at ?? Number.POSITIVE_INFINITY;
    const { source } = JSON.parse(text) as { source: string };
    const topic = topicOf(text);
    const due = journal.polls.find(
      (poll) => poll.startedAt > at && source.endsWith(`/${poll.feed}`) && mustSend(evidence, poll, topic),
    );
    if (due !== undefined && (due.endedAt ?? 0) < sentAt)
      evidence.violate(
        nameOf(text),
        `was committed and not sent by the end of poll ${due.number}`,
        'drained',
      );
  }
}

/** Whether a poll had to send what waited. While a topic refuses, events of its records may wait for each other. */
function mustSend(evidence: Evidence, poll: PollEntry, topic: Topic): boolean {
  if (!isAble(evidence, poll) || ranOutOfTime(poll)) return false;
  const refused = evidence.history.spells.topics.filter(
    (spell) => lasts(spell, poll.startedAt) || lasts(spell, poll.endedAt ?? poll.deadline),
  );
  return !refused.some(
    (spell) => spell.topic === topic || (spell.topic === 'clockings' && topic === 'timesheets'),
  );
}

function isAbleAt(evidence: Evidence, number: number): boolean {
  const poll = evidence.poll(number);
  return poll !== undefined && isAble(evidence, poll);
}

function nameOf(text: string): string {
  const { type, subject, sequence } = JSON.parse(text) as Record<string, unknown>;
  return `${String(type)} ${String(subject ?? '')} ${String(sequence)}`;
}
