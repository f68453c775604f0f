import { NO_MEMBERSHIP } from '#shared/core/periods/membership.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Engine } from './history.ts';
import type { Settings } from './settings.ts';
import { fetchedFirst, WRONG_SOURCES } from './wrong-sources.ts';

type WrongStore = (store: SnapshotStore, ports: PollPorts) => Partial<SnapshotStore>;
type WrongPublisher = (ports: PollPorts) => Partial<PollPorts>;

/** Mistakes of the store. */
const WRONG_STORES: Readonly<Record<string, WrongStore>> = {
  'commits whatever revision the head has': (store) => ({
    commit: async (step) => {
      if ((await store.commit(step)) === 'committed') return 'committed';
      const heads = new Map((await store.loadHeads(step.feed, '')).map((head) => [head.slice, head]));
      const unfenced = step.heads.map((write) => ({
        ...write,
        expectedRevision: heads.get(write.head.slice)?.revision ?? null,
      }));
      return await store.commit({ ...step, token: `${step.token} again`, heads: unfenced });
    },
  }),
  'saves the state of the feed whatever revision it has': (store) => ({
    saveFeedState: async (write) => {
      if ((await store.saveFeedState(write)) === 'committed') return 'committed';
      const stored = await store.loadFeedState(write.feed);
      const expectedRevision = stored?.state.revision ?? null;
      return await store.saveFeedState({ ...write, token: `${write.token} again`, expectedRevision });
    },
  }),
  'keeps no pointer to what is not published yet': (store) => ({
    commit: async (step) => {
      const outcome = await store.commit(step);
      const heads = await store.loadHeads(step.feed, '');
      await store.clearOutbox(
        step.feed,
        heads.flatMap(({ slice, outbox }) => outbox.map((pointer) => ({ slice, pointer }))),
      );
      return outcome;
    },
  }),
  'clears the outbox before it publishes': (store) => ({
    loadHeads: async (feed, from) => {
      const heads = await store.loadHeads(feed, from);
      const entries = heads.flatMap(({ slice, outbox }) => outbox.map((pointer) => ({ slice, pointer })));
      await store.clearOutbox(feed, entries);
      return heads;
    },
  }),
  'publishes before it commits': (store, { publisher }) => ({
    commit: async (step) => {
      await publisher.publish(step.events?.chunks.flat() ?? []);
      return await store.commit(step);
    },
  }),
  'commits heads and leaves apart': (store) => ({
    commit: async (step) => {
      const outcome = await store.commit({ ...step, leaves: [] });
      if (outcome === 'committed') await store.writeGeneration(step.feed, step.leaves);
      return outcome;
    },
  }),
  'forgets who was removed': (store) => ({
    commit: (step) =>
      store.commit({ ...step, leaves: step.leaves.map((leaf) => ({ ...leaf, tombstones: [] })) }),
  }),
  'fences no newcomers': (store) => ({
    commit: (step) =>
      store.commit({ ...step, heads: step.heads.filter(({ head }) => head.slice !== 'arrivals') }),
  }),
  'renders an event anew when it is sent again': (store, { clock }) => ({
    readEvents: async (feed, pointer) => {
      const texts = await store.readEvents(feed, pointer);
      const time = new Date(clock.now()).toISOString();
      return texts.map((text) => JSON.stringify({ ...(JSON.parse(text) as object), time }));
    },
  }),
  'takes a restored table for its own': () => ({ tableId: async () => 'the only table' }),
  'forgets its baseline': (store) => ({
    loadFeedState: async (feed) => {
      const stored = await store.loadFeedState(feed);
      return stored === null ? null : { ...stored, state: { ...stored.state, baseline: null } };
    },
  }),
  'takes a date that time brings in for a part of the baseline': (store) => ({
    loadFeedState: async (feed) => {
      const stored = await store.loadFeedState(feed);
      const baseline = stored?.state.baseline;
      if (stored === null || baseline == null) return stored;
      return { ...stored, state: { ...stored.state, baseline: { ...baseline, to: '9999-12-31' } } };
    },
  }),
  'forgets what the next processing settles': (store) => ({
    commit: async (step) =>
      await store.commit({
        ...step,
        leaves: step.leaves.map((leaf) => ({ ...leaf, rows: leaf.rows.map(withoutMatters) })),
      }),
  }),
  'goes by the closing of every calendar': (store) => ({
    loadMembership: async (connection) => {
      await store.loadMembership(connection);
      return NO_MEMBERSHIP;
    },
  }),
  'takes every employee for one of the other calendar': (store) => ({
    loadMembership: async (connection) => {
      const { employees, ...rest } = await store.loadMembership(connection);
      const named = [...employees].filter(([, { calendar }]) => calendar !== null);
      const [one, other] = new Set(named.map(([, { calendar }]) => calendar));
      const swapped = named.map(([id, entry]) => {
        const calendar = (entry.calendar === one ? other : one) ?? null;
        return [id, { ...entry, calendar, periodId: 'gone' }] as const;
      });
      return { ...rest, employees: new Map([...employees, ...swapped]) };
    },
  }),
  'forgets that it told what it could not read': (store) => ({
    loadFeedState: async (feed) => {
      const stored = await store.loadFeedState(feed);
      if (stored === null) return null;
      const entries = Object.entries(stored.state.unreadable);
      const unreadable = Object.fromEntries(entries.map(([id, each]) => [id, { ...each, told: false }]));
      return { ...stored, state: { ...stored.state, unreadable } };
    },
  }),
};

function withoutMatters(row: LeafRow): LeafRow {
  const sent = Object.entries(row.sent).filter(([name]) => !name.startsWith('open:'));
  return { ...row, sent: Object.fromEntries(sent) };
}

const WRONG_PUBLISHERS: Readonly<Record<string, WrongPublisher>> = {
  'takes every event for published': ({ publisher }) => ({
    publisher: {
      publish: async (texts) => {
        const { requests } = await publisher.publish(texts);
        return { published: texts.length, unpublished: [], requests };
      },
    },
  }),
  'sends later events of a record when an earlier one failed': ({ publisher }) => ({
    publisher: {
      publish: async (texts) => {
        const unpublished: number[] = [];
        for (const [index, text] of texts.entries()) {
          if ((await publisher.publish([text])).published === 0) unpublished.push(index);
        }
        return { published: texts.length - unpublished.length, unpublished, requests: texts.length };
      },
    },
  }),
};

/** Engines with one mistake each. */
export const WRONG_ENGINES: readonly Engine[] = [
  ...Object.entries(WRONG_STORES).map(([name, wrong]) =>
    engine(name, (ports) => ({ store: { ...ports.store, ...wrong(ports.store, ports) } })),
  ),
  ...Object.entries({ ...WRONG_PUBLISHERS, ...WRONG_SOURCES }).map(([name, wrong]) => engine(name, wrong)),
  { ...engine('fetches before it reads what is known', fetchedFirst), always: 'window' },
];

function engine(name: string, wrong: (ports: PollPorts, settings: Settings) => Partial<PollPorts>): Engine {
  return { name, start: () => (ports, settings) => ({ ...ports, ...wrong(ports, settings) }) };
}
