import type { PublishResult } from '#shared/flow/poll/ports.ts';
import type { Engine } from './history.ts';

/** An engine that misreads the result of a publication. */
function misread(name: string, mistake: (result: PublishResult) => PublishResult): Engine {
  return {
    name,
    start: () => (ports) => ({
      ...ports,
      publisher: { publish: async (texts) => mistake(await ports.publisher.publish(texts)) },
    }),
  };
}

/** Engines that are wrong about events that can never be published. */
export const BROAD_PUBLISHERS: readonly Engine[] = [
  misread('takes what is refused for good for published', ({ refused = [], ...result }) => ({
    ...result,
    published: result.published + refused.length,
    unpublished: result.unpublished.filter((index) => !refused.includes(index)),
  })),
  misread('sends for ever what is refused for good', ({ refused, ...result }) => result),
  {
    name: 'waits for ever for events that are gone',
    start: () => (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        readEvents: async (feed, pointer) => await ports.store.readEvents(feed, pointer).catch(() => []),
      },
    }),
  },
];
