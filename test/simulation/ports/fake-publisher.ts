import type { EventTopic } from '#shared/core/event-types.ts';
import type { EventPublisher, PublishResult } from '#shared/flow/poll/ports.ts';
import type { Journal } from '../journal.ts';
import { lasts, type Spells } from '../spells.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';

/** Of one call that fails in part. */
const HELD_SHARE = 0.4;

type Fate = 'published' | 'held' | 'answer lost' | 'refused';

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
    const fates = texts.map((text): Fate => {
      if (nothing || (partly && faults.random.chance(HELD_SHARE))) return 'held';
      return publishOne(topic, text);
    });
    const placesOf = (...names: readonly Fate[]) =>
      fates.flatMap((fate, place) => (names.includes(fate) ? [place] : []));
    const unpublished = placesOf('held', 'refused', 'answer lost');
    return { published: texts.length - unpublished.length, unpublished, refused: placesOf('refused') };
  }

  function publishOne(topic: EventTopic, text: string): Fate {
    // What is refused for good once is refused each time.
    if (journal.refused.has(text) || faults.happens('event_refused')) {
      journal.refused.add(text);
      return 'refused';
    }
    journal.publications.push({ poll: poll.entry.number, at: poll.time(), topic, text });
    return faults.happens('publish_answer_lost') ? 'answer lost' : 'published';
  }
}
