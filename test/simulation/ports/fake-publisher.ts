import type { EventPublisher, PublishResult } from '#shared/ports.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';

/** Subscribers that note all they get, behind a publisher that fails in every way its port allows. */
export function fakePublisher(journal: Journal, poll: PollLife): EventPublisher {
  const { faults } = poll;
  return {
    publish: async (texts) => {
      await goTo('publish', poll, faults.random.between(5, 40));
      const result = deliver(texts, (text) =>
        journal.publications.push({ poll: poll.poll, at: poll.time(), text }),
      );
      await comeBack('publish', poll, faults.random.between(5, 40));
      return result;
    },
  };

  function deliver(texts: readonly string[], send: (text: string) => void): PublishResult {
    const nothing = texts.length > 0 && faults.happens('publish_nothing');
    const partly = texts.length > 0 && !nothing && faults.happens('publish_partly');
    const unpublished: number[] = [];
    const held = new Set<string>();
    for (const [index, text] of texts.entries()) {
      const line = lineOf(text);
      const fate = nothing || held.has(line) ? 'held' : fateOf(faults, partly);
      if (fate !== 'held') send(text);
      if (fate === 'published') continue;
      held.add(line);
      unpublished.push(index);
    }
    return { published: texts.length - unpublished.length, unpublished, requests: 1 };
  }
}

type Fate = 'published' | 'held' | 'answer lost';

function fateOf(faults: Faults, partly: boolean): Fate {
  if (partly && faults.random.chance(0.4)) return 'held';
  return faults.happens('publish_answer_lost') ? 'answer lost' : 'published';
}

/** What has an order of its own: a record, or the operations of a feed. */
function lineOf(text: string): string {
  const { source, subject, data } = JSON.parse(text) as { source: string; subject?: string; data: object };
  return Object.hasOwn(data, 'feed') ? source : `${source} ${subject ?? ''}`;
}
