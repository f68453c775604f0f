import type { EventTopic } from '#shared/core/event-types.ts';
import type { EventPublisher, PublishResult } from '#shared/flow/poll/ports.ts';
import type { Journal } from '../journal.ts';
import { lasts, type Spells } from '../spells.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';

/** Of one call that fails in part. */
const HELD_SHARE = 0.4;

/** A publisher that notes every event and fails in every way that its port allows. */
export function fakePublisher(
  { journal, spells }: { readonly journal: Journal; readonly spells: Spells },
  poll: PollLife,
): EventPublisher {
  const { faults } = poll;
  return {
    publish: async (topic, texts) => {
      await goTo('publish', poll, faults.random.between(5, 40));
      const result = deliver(topic, texts);
      await comeBack('publish', poll, faults.random.between(5, 40));
      return result;
    },
  };

  function deliver(topic: EventTopic, texts: readonly string[]): PublishResult {
    const isRefusing = spells.topics.some((spell) => spell.topic === topic && lasts(spell, poll.time()));
    if (isRefusing) faults.note('topic_refused');
    const nothing = isRefusing || faults.happens('publish_nothing');
    const partly = !nothing && faults.happens('publish_partly');
    const unpublished: number[] = [];
    const refused: number[] = [];
    for (const [place, text] of texts.entries()) {
      const isHeld = nothing || (partly && faults.random.chance(HELD_SHARE));
      // What is refused for good once is refused each time.
      if (!isHeld && (journal.refused.has(text) || faults.happens('event_refused'))) {
        journal.refused.add(text);
        refused.push(place);
        unpublished.push(place);
        continue;
      }
      if (!isHeld) journal.publications.push({ poll: poll.entry.number, at: poll.time(), topic, text });
      if (isHeld || faults.happens('publish_answer_lost')) unpublished.push(place);
    }
    return { published: texts.length - unpublished.length, unpublished, refused };
  }
}
