import type { Page, WalkEnd } from '#shared/core/fetch/pages.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import { type Engine, RIGHT_ENGINE } from './history.ts';

/** The engine in histories about employees and departments. */
export const DIRECTORY_ENGINE: Engine = { ...RIGHT_ENGINE, name: 'right, of a directory', directory: true };

const source =
  (change: (right: PollPorts['source']) => Partial<PollPorts['source']>) =>
  (ports: PollPorts): PollPorts => {
    const right = ports.source;
    const kept = {
      pages: right.pages.bind(right),
      lookUp: right.lookUp.bind(right),
      counts: right.counts.bind(right),
    };
    return { ...ports, source: { ...kept, ...change(right) } };
  };

/** Each breaks a rule of docs/architecture.md in what it does with lists that come whole. */
export const WRONG_DIRECTORIES: readonly Engine[] = Object.entries<(ports: PollPorts) => PollPorts>({
  'believes at once that who is not listed left': source(() => ({
    lookUp: async () => ({ outcome: 'gone', requestedAt: 0, receivedAt: 0 }),
  })),
  'takes a list that failed for its end': source((right) => ({
    async *pages(feed, range) {
      const end = yield* right.pages(feed, range);
      return { ...end, complete: true, error: null, problem: null };
    },
  })),
  'forgets who left': ({ store, ...ports }) => ({
    ...ports,
    store: {
      ...store,
      readLeaves: async (feed, refs) =>
        (await store.readLeaves(feed, refs)).map((leaf) => ({ ...leaf, tombstones: [] })),
    },
  }),
  'publishes nothing of a move': ({ publisher, ...ports }) => ({
    ...ports,
    publisher: {
      publish: async (texts) =>
        await publisher.publish(texts.filter((text) => !text.includes('.employee.moved'))),
    },
  }),
})
  .map(([name, rewire]): Engine => ({ name, start: () => rewire, directory: true }))
  .concat({ name: 'tells the employees of its baseline', start: baselineNobody, directory: true });

/** The first list of each feed shows nobody, so that the second one tells of everybody. */
function baselineNobody(): (ports: PollPorts) => PollPorts {
  const seen = new Set<string>();
  return source((right) => ({
    async *pages(feed, range) {
      if (seen.has(feed)) return yield* right.pages(feed, range);
      const end = yield* withoutRecords(right.pages(feed, range));
      if (end.complete) seen.add(feed);
      return end;
    },
  }));
}

async function* withoutRecords(walk: AsyncGenerator<Page, WalkEnd>): AsyncGenerator<Page, WalkEnd> {
  let next = await walk.next();
  while (next.done !== true) {
    yield { ...next.value, records: [] };
    next = await walk.next();
  }
  return next.value;
}
