import type { EventPublisher, PublishResult } from '#shared/flow/poll/ports.ts';
import type { Breadth } from '../breadth/breadth.ts';
import { isRefused } from '../breadth/ports.ts';
import type { Journal } from '../journal.ts';
import { lasts, type Topic, type TopicSpell } from '../spells.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';

/** The journal of published events, and when topics refuse them. */
export interface Subscribers {
  readonly journal: Journal;
  readonly refusals: readonly TopicSpell[];
  readonly breadth: Breadth;
}

/** A publisher that notes every event and fails in every way that its port allows. */
export function fakePublisher({ journal, refusals, breadth }: Subscribers, poll: PollLife): EventPublisher {
  const { faults } = poll;
  return {
    publish: async (texts) => {
      await goTo('publish', poll, faults.random.between(5, 40));
      const result = deliver(texts, (text, isAnswerLost) =>
        journal.publications.push({ poll: poll.poll, at: poll.time(), text, isAnswerLost }),
      );
      await comeBack('publish', poll, faults.random.between(5, 40));
      return result;
    },
  };

  function deliver(
    texts: readonly string[],
    send: (text: string, isAnswerLost: boolean) => void,
  ): PublishResult {
    const decide = drawFates({ refusals, breadth }, poll);
    const unpublished: number[] = [];
    const refused: number[] = [];
    const held = new Set<string>();
    for (const [index, text] of texts.entries()) {
      const fate = held.size > 0 && held.has(lineOf(text)) ? 'held' : decide(text);
      if (fate === 'refused') {
        faults.note('event_refused');
        journal.noteLost({ poll: poll.poll, at: poll.time(), text, reason: 'refused' });
        refused.push(index);
        unpublished.push(index);
        continue;
      }
      if (fate !== 'held') send(text, fate === 'answer lost');
      if (fate === 'published') continue;
      held.add(lineOf(text));
      unpublished.push(index);
    }
    return { published: texts.length - unpublished.length, unpublished, refused, requests: 1 };
  }
}

type Fate = 'published' | 'held' | 'answer lost' | 'refused';

/** Decides which events of one call fail. */
function drawFates(
  { refusals, breadth }: Pick<Subscribers, 'refusals' | 'breadth'>,
  { faults, entry, time }: PollLife,
): (text: string) => Fate {
  const nothing = faults.happens('publish_nothing');
  const partly = !nothing && faults.happens('publish_partly');
  const refused = new Set(refusals.filter((spell) => lasts(spell, time())).map(({ topic }) => topic));
  const unlucky = (): Fate => {
    if (nothing || (partly && faults.random.chance(0.4))) return 'held';
    return faults.happens('publish_answer_lost') ? 'answer lost' : 'published';
  };
  return (text) => {
    if (refused.size > 0 && refused.has(topicOf(text))) {
      faults.note('topic_refused');
      return 'held';
    }
    const fate = unlucky();
    if (fate !== 'published') entry.troubles.add('publishing');
    // What is refused for good reaches nobody, whether or not the answer comes.
    if (fate === 'held' || !isRefused({ breadth }, text)) return fate;
    return fate === 'published' ? 'refused' : 'held';
  };
}

/** The topic of an event, as docs/events.md states it. */
export function topicOf(text: string): Topic {
  const { type } = JSON.parse(text) as { type: string };
  if (/\.timesheet\.clock/.test(type)) return 'clockings';
  if (type.includes('.timesheet.')) return 'timesheets';
  if (/\.(?:employee|department)\./.test(type)) return 'directory';
  return type.includes('.pay_period.') ? 'pay-periods' : 'operations';
}

/** Events of one record, or of the operations of one feed, are ordered. */
function lineOf(text: string): string {
  const { source, subject, data } = JSON.parse(text) as { source: string; subject?: string; data: object };
  return Object.hasOwn(data, 'feed') ? source : `${source} ${subject ?? ''}`;
}
