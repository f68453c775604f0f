import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommitPlan, planCommit } from '#shared/core/commit/commit-plan.ts';
import {
  type CommitStep,
  MAX_INLINE_DIGEST_LEAVES,
  MAX_TRANSACTION_EVENT_BYTES,
  MAX_TRANSACTION_ITEMS,
} from '#shared/core/commit/commit-step.ts';
import { feedDefinition, isSettled } from '#shared/core/records/feed-definition.ts';
import type { Leaf, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { leavesMatchHeads } from '#shared/core/snapshot/snapshot.ts';
import { holds } from '#test/shared/core/properties.ts';
import { NOW, TIMESHEETS } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import {
  countBytes,
  countEventBytes,
  countItems,
  createCommitInput,
  listHeadsAfter,
} from './commit-inputs.ts';
import { type ChangeScenario, scenarios } from './random-changes.ts';

const TRANSACTION_MOST_BYTES = 4_000_000;

describe('whatever happened between two scans', () => {
  test('each step fits one transaction', () => {
    const seen = { steps: 0, paged: 0 };
    holds(
      fc.property(scenarios, (world) => {
        for (const step of planOf(world).steps) {
          seen.steps += 1;
          if (step.heads.some(({ head }) => head.leafCount > MAX_INLINE_DIGEST_LEAVES)) seen.paged += 1;
          expect(countItems(step)).toBeLessThanOrEqual(MAX_TRANSACTION_ITEMS);
          expect(countEventBytes(step)).toBeLessThanOrEqual(MAX_TRANSACTION_EVENT_BYTES);
          expect(countEventBytes(step) + countBytes(JSON.stringify(step.leaves))).toBeLessThan(
            TRANSACTION_MOST_BYTES,
          );
        }
      }),
      60,
    );
    expect(Math.min(seen.steps - seen.paged, seen.paged)).toBeGreaterThan(10);
  });

  test('a store accepts the steps one after another: each expects the revision that the one before left', async () => {
    await holds(
      fc.asyncProperty(scenarios, async (world) => {
        const { steps } = planOf(world);
        const { store, outcomes } = await executed(world, steps);
        expect(outcomes.filter((outcome) => outcome !== 'committed')).toEqual([]);
        const stored = await store.loadHeads(TIMESHEETS, '');
        const planned = [...listHeadsAfter(world.snapshot, steps).values()];
        expect(stored).toEqual(planned.map(withoutOutbox(stored)).sort(bySlice));
      }),
      25,
    );
  });

  test('digests and counts of the heads are those of the leaves that are stored in the end', async () => {
    await holds(
      fc.asyncProperty(scenarios, async (world) => {
        const { store } = await executed(world, planOf(world).steps);
        for (const head of await store.loadHeads(TIMESHEETS, '')) {
          const leaves = await store.readLeaves(TIMESHEETS, refsOf(head));
          expect(leavesMatchHeads(leaves, new Map([[head.slice, head]]))).toBe(true);
          expect(countsIn(leaves)).toEqual(countsOf(head));
        }
      }),
      25,
    );
  });

  test('every record stands where it was seen last, once, and every removed one is remembered', async () => {
    await holds(
      fc.asyncProperty(scenarios, async (world) => {
        const { store } = await executed(world, planOf(world).steps);
        const leaves = await allLeaves(store);
        const rows = leaves.flatMap((leaf) =>
          leaf.rows.map((row) => [row.id, { slice: leaf.slice, state: row.state }] as const),
        );
        const tombstones = leaves.flatMap((leaf) =>
          leaf.tombstones.map(({ id, sequence }) => [id, sequence] as const),
        );
        expect(rows).toHaveLength(world.expected.size);
        expect(new Map(rows)).toEqual(world.expected);
        expect(tombstones).toHaveLength(world.buried.size);
        expect(new Map(tombstones)).toEqual(world.buried);
      }),
      25,
    );
  });

  test('every event is in one step, those of a record in their order', () => {
    holds(
      fc.property(scenarios, (world) => {
        const texts = planOf(world).steps.flatMap((step) => step.events?.chunks.flat() ?? []);
        const expected = world.changeEvents.flatMap((changeEvents) => changeEvents.texts);
        expect([...texts].sort()).toEqual([...expected].sort());
        expect(bySubject(texts)).toEqual(bySubject(expected));
      }),
      25,
    );
  });

  test('the given snapshot stays as it was', () => {
    holds(
      fc.property(scenarios, (world) => {
        const before = structuredClone(world.snapshot);
        planOf(world);
        expect(world.snapshot).toEqual(before);
      }),
      20,
    );
  });

  test('the same input gives the same plan', () => {
    holds(
      fc.property(scenarios, (world) => {
        expect(planOf(world)).toEqual(planOf(world));
      }),
      10,
    );
  });
});

function planOf({ snapshot, changeEvents }: ChangeScenario): CommitPlan {
  return planCommit({ ...createCommitInput(changeEvents, []), snapshot });
}

type Store = ReturnType<typeof createMemorySnapshotStore>;

/** A store that held the snapshot and was given the steps. */
async function executed({ snapshot }: ChangeScenario, steps: readonly CommitStep[]) {
  const store = createMemorySnapshotStore();
  await store.commit({
    feed: TIMESHEETS,
    token: 'before',
    heads: [...snapshot.heads.values()].map((head) => ({
      head,
      expectedRevision: null,
      changedLeaves: null,
    })),
    leaves: [...snapshot.leaves.values()],
    events: null,
    eventsExpireAt: NOW,
  });
  const outcomes: string[] = [];
  for (const step of steps) outcomes.push(await store.commit(step));
  return { store, outcomes };
}

async function allLeaves(store: Store): Promise<Leaf[]> {
  const heads = await store.loadHeads(TIMESHEETS, '');
  return (await Promise.all(heads.map((head) => store.readLeaves(TIMESHEETS, refsOf(head))))).flat();
}

function refsOf({ slice: name, generation, leafCount }: SliceHead) {
  return Array.from({ length: leafCount }, (_, index) => ({ slice: name, generation, index }));
}

function countsOf({ recordCount, tombstoneCount, unsettledCount }: SliceHead) {
  return { recordCount, tombstoneCount, unsettledCount };
}

function countsIn(leaves: readonly Leaf[]): ReturnType<typeof countsOf> {
  const rows = leaves.flatMap((leaf) => leaf.rows);
  return {
    recordCount: rows.length,
    tombstoneCount: leaves.flatMap(({ tombstones }) => tombstones).length,
    unsettledCount: rows.filter(({ state }) => !isSettled(feedDefinition('timesheets'), state)).length,
  };
}

/** The store keeps outboxes beside the heads. */
function withoutOutbox(stored: readonly SliceHead[]) {
  return (head: SliceHead): SliceHead => ({
    ...head,
    outbox: stored.find(({ slice: name }) => name === head.slice)?.outbox ?? [],
  });
}

function bySlice(left: SliceHead, right: SliceHead): number {
  return left.slice < right.slice ? -1 : 1;
}

function bySubject(texts: readonly string[]): Map<string, number[]> {
  const sequences = new Map<string, number[]>();
  for (const text of texts) {
    const { subject, sequence } = JSON.parse(text) as { subject: string; sequence: number };
    sequences.set(subject, [...(sequences.get(subject) ?? []), sequence]);
  }
  return sequences;
}
