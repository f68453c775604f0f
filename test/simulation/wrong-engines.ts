import type { PollPorts } from '#shared/flow/poll/run.ts';
import type { Engine } from './history.ts';

type Wrong = (ports: PollPorts) => Partial<PollPorts>;

/** Mistakes at the ports, by the rules of the protocol. */
const WRONG_PORTS: Readonly<Record<string, Wrong>> = {
  // 1
  'commits whoever has the lease': ({ store }) => ({
    store: over(store, {
      commit: async (lease, commit, time) => {
        const token = (await store.loadState(lease.connection))?.token ?? lease.token;
        return await store.commit({ ...lease, token }, commit, time);
      },
    }),
  }),
  // 2
  'commits rows and events apart': ({ store }) => ({
    store: over(store, {
      commit: async (lease, commit, time) => {
        const keys = await store.commit(lease, { ...commit, log: [] }, time);
        return commit.log.length === 0
          ? keys
          : await store.commit(lease, { ...commit, heads: [], buckets: [], removedHeads: [] }, time);
      },
    }),
  }),
  'publishes before it commits': ({ store, publisher }) => ({
    store: over(store, {
      commit: async (lease, commit, time) => {
        for (const { topic, texts } of commit.log) await publisher.publish(topic, texts);
        return await store.commit(lease, commit, time);
      },
    }),
  }),
  'commits a head without its buckets': ({ store }) => ({
    store: over(store, {
      commit: async (lease, commit, time) => await store.commit(lease, { ...commit, buckets: [] }, time),
    }),
  }),
  // 3
  'takes every event for published': ({ publisher }) => ({
    publisher: {
      publish: async (topic, texts) => {
        await publisher.publish(topic, texts);
        return { published: texts.length, unpublished: [], refused: [] };
      },
    },
  }),
  'waits for ever for what is refused for good': ({ publisher }) => ({
    publisher: {
      publish: async (topic, texts) => ({ ...(await publisher.publish(topic, texts)), refused: [] }),
    },
  }),
  'renders an event anew when it is published again': ({ store, clock }) => ({
    store: over(store, {
      readLog: async function* (...given) {
        for await (const item of store.readLog(...given)) {
          const time = new Date(clock.now()).toISOString();
          const texts = item.texts.map((text) => JSON.stringify({ ...(JSON.parse(text) as object), time }));
          yield { ...item, texts };
        }
      },
    }),
  }),
  // 6
  'takes an absent record for a removed one': ({ source, clock }) => ({
    source: over(source, { lookUp: async () => ({ outcome: 'gone', requestedAt: clock.now() }) }),
  }),
  'takes any failed question for a 404': ({ source, clock }) => ({
    source: over(source, {
      lookUp: async (feed, id) => {
        const requestedAt = clock.now();
        return await source.lookUp(feed, id).catch(() => ({ outcome: 'gone', requestedAt }));
      },
    }),
  }),
  // 7
  'takes the first page for the list': ({ source }) => ({
    source: over(source, {
      page: async (request) => {
        const page = await source.page(request);
        return { ...page, totalPages: 1, totalRecords: page.records.length };
      },
    }),
  }),
  // 16
  'takes a restored table for its own': ({ store }) => ({
    store: over(store, { tableId: async () => 'the only table' }),
  }),
};

/** A port with some methods replaced; the others are called as they are. */
function over<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? (method.bind(target) as unknown) : method;
    },
  });
}

/** Engines with one mistake each, by its name. */
export const WRONG_ENGINES: ReadonlyMap<string, Engine> = new Map(
  Object.entries(WRONG_PORTS).map(([name, wrong]) => [
    name,
    { name, start: () => (ports: PollPorts) => ({ ...ports, ...wrong(ports) }) },
  ]),
);
