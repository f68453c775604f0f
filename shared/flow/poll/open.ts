import { GUARDS } from '#shared/core/compare/doubt.ts';
import { LeaseLost } from '#shared/core/errors.ts';
import type { PollReason } from '#shared/core/outcome/reasons.ts';
import { believeHead, believeState } from '#shared/core/snapshot/believable.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import { PeriodsOfPoll } from '#shared/period/flow/periods-of-poll.ts';
import { LEASE_MS } from './lease.ts';
import type { Lease, StateWrite, Store } from './ports.ts';
import { describeRun, type PollInput, type PollPorts, type PollRun } from './run.ts';

/** Why a poll did not begin: another one holds the lease, or nobody knows in which table it is (rule 16). */
export type Unstarted = PollReason & ('leased' | 'table_unknown');

/** Takes the lease and loads what is known: the state comes with the lease, the heads by one query. */
export async function openPoll(input: PollInput, ports: PollPorts): Promise<PollRun | Unstarted> {
  const { store, clock } = ports;
  const startedAt = clock.now();
  const { name: connection } = input.request.connection;
  const [stored, tableId] = await Promise.all([
    store.takeLease(connection, startedAt + LEASE_MS, startedAt),
    store.tableId(),
  ]);
  if (stored === null) return 'leased';
  const lease = { connection, token: stored.token };
  if (tableId === null) {
    await giveUp(lease, stored, store);
    return 'table_unknown';
  }
  const begun = recognizeTable(stored, tableId);
  const state = believeState({ ...stored, ...begun }, startedAt);
  const heads = await store.loadHeads(connection);
  const believed = heads.map((head) => believeHead(head, startedAt));
  if (state.pace !== null) ports.source.resumePace(state.pace);
  const described = describeRun(input, startedAt);
  return {
    ...described,
    ports,
    lease,
    guards: input.guards ?? GUARDS,
    failingBefore: state.failing,
    memory: {
      state,
      begun,
      heads: new Map(believed.map((head) => [nameSlice(head), head])),
      mended: new Set(believed.filter((head, place) => head !== heads[place]).map(nameSlice)),
      leaseUntil: startedAt + LEASE_MS,
      totals: new Map(),
      periods: new PeriodsOfPoll(lease, store, described.window),
      waiting: new Map(),
      refused: new Map(),
      accepting: new Set(),
      reasons: new Map(),
      ended: null,
      failuresInRow: 0,
      lastFailure: null,
      counts: { slices: 0, records: 0, changes: 0, quarantined: 0, eventsCommitted: 0, eventsPublished: 0 },
    },
  };
}

/** Another poll may have taken the lease since: then there is nothing to give back. */
async function giveUp(lease: Lease, { topics }: ConnectionState, store: Store): Promise<void> {
  try {
    await store.giveBack(lease, { topics });
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/**
 * What begins with this poll. A state of another table is that of a backup: what was published since is not known, and
 * every slice is due.
 */
function recognizeTable({ tableId: before, clock }: ConnectionState, tableId: string): StateWrite {
  if (before === tableId) return {};
  const begun = { tableId, epoch: clock, sequences: {} };
  return before === '' ? begun : { ...begun, restoredAt: clock, lookedAt: {}, watermarks: {}, troubles: [] };
}
