import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Engine, Rewire } from './history.ts';
import { LATE_SOURCES } from './late-sources.ts';
import { topicOf } from './ports/fake-publisher.ts';
import { MINUTE_MS } from './settings.ts';

type LateStore = (store: SnapshotStore, ports: PollPorts) => Partial<SnapshotStore>;

const store =
  (late: LateStore): (() => Rewire) =>
  () =>
  (ports) => ({ ...ports, store: { ...ports.store, ...late(ports.store, ports) } });

/** Mistakes of the store that publish nothing wrong, but late or never. */
const LATE_STORES: Readonly<Record<string, () => Rewire>> = {
  'never clears the outbox': store(() => ({ clearOutbox: async () => {} })),
  'clears only the first batch of a backlog': store((right) => ({
    clearOutbox: async (feed, entries) => await right.clearOutbox(feed, entries.slice(0, 1)),
  })),
  'keeps its lease for an hour': store((right) => ({
    acquireLease: async (feed, lease) =>
      await right.acquireLease(feed, { ...lease, expiresAt: lease.expiresAt + 60 * MINUTE_MS }),
  })),
  'never gives its lease back': store((right) => ({
    acquireLease: async (feed, lease) =>
      await right.acquireLease(feed, { ...lease, expiresAt: lease.expiresAt + 2 * MINUTE_MS }),
    releaseLease: async () => {},
  })),
  'lets no newcomer pass the fence': store((right) => ({
    commit: async (step) => {
      const brings = step.events !== null && step.heads.some(({ head }) => head.slice === 'arrivals');
      return brings ? 'conflict' : await right.commit(step);
    },
  })),
  'believes no removal that was held': store((right, { clock }) => ({
    loadFeedState: async (feed) => {
      const stored = await right.loadFeedState(feed);
      if (stored === null) return null;
      const held = Object.entries(stored.state.shrunk).map(([slice, entry]) => [
        slice,
        { ...entry, since: clock.now() },
      ]);
      return { ...stored, state: { ...stored.state, shrunk: Object.fromEntries(held) } };
    },
  })),
};

const LATE_PUBLISHERS: Readonly<Record<string, () => Rewire>> = {
  'sends one event in a poll': () => (ports) => {
    let sent = 0;
    return {
      ...ports,
      publisher: {
        publish: async (texts) => {
          const taken = sent === 0 ? texts.slice(0, 1) : [];
          sent += taken.length;
          const result = await ports.publisher.publish(taken);
          const unpublished = [
            ...result.unpublished,
            ...texts.slice(taken.length).map((_, place) => place + taken.length),
          ];
          return { ...result, unpublished };
        },
      },
    };
  },
  'leaves what it committed to the next poll': () => (ports) => {
    const own = new Set<string>();
    return {
      ...ports,
      store: {
        ...ports.store,
        commit: async (step) => {
          for (const text of step.events?.chunks.flat() ?? []) own.add(text);
          return await ports.store.commit(step);
        },
      },
      publisher: {
        publish: async (texts) => {
          if (!texts.some((text) => own.has(text))) return await ports.publisher.publish(texts);
          return { published: 0, unpublished: [...texts.keys()], requests: 1 };
        },
      },
    };
  },
  'tells nobody about its own state': () => (ports) => ({
    ...ports,
    publisher: {
      publish: async (texts) => {
        const isTold = (text: string) => topicOf(text) !== 'operations';
        const places = [...texts.keys()].filter((index) => isTold(texts[index] ?? ''));
        const { unpublished, requests } = await ports.publisher.publish(texts.filter(isTold));
        const waiting = unpublished.map((place) => places[place] ?? 0);
        return { published: texts.length - waiting.length, unpublished: waiting, requests };
      },
    },
  }),
};

/** Engines that publish nothing wrong, but late or never. */
export const LATE_ENGINES: readonly Engine[] = Object.entries({
  ...LATE_SOURCES,
  ...LATE_STORES,
  ...LATE_PUBLISHERS,
}).map(([name, start]) => ({ name, start }));
