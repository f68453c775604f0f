import { CLOCK_TOLERANCE_MS } from '#shared/core/clock-tolerance.ts';
import { LeaseLost, NotifierError } from '#shared/core/errors.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { CountedHours } from '#shared/core/periods/counted-hours.ts';
import type { MemberAnswers } from '#shared/core/periods/members.ts';
import { type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import { beginLog, followLog, type LogPosition, toLogKey } from '#shared/core/snapshot/log-key.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { type ConnectionState, EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import type { BucketKey, Commit, CountKey, Lease, LogItem, Store } from '#shared/flow/poll/ports.ts';

const MAX_WRITES = 100;

interface ConnectionMemory {
  state: ConnectionState | null;
  until: number;
  readonly heads: Map<string, Head>;
  readonly buckets: Map<string, readonly StoredRow[]>;
  readonly log: LogItem[];
  position: LogPosition | undefined;
  readonly counts: Map<string, readonly CountedHours[]>;
  readonly answers: Map<string, MemberAnswers>;
}

/** A store with a backup. */
export interface MemoryStore extends Store {
  /** Restores a backup of this moment to another table. */
  restored(): MemoryStore;
}

/**
 * A store without a database, fast enough for tens of thousands of histories. It keeps values by reference and freezes
 * them, so that a later change throws at once.
 */
export function createMemoryStore(): MemoryStore {
  return createStoreOver(new Map());
}

let tables = 0;

function createStoreOver(connections: Map<string, ConnectionMemory>): MemoryStore {
  tables += 1;
  const id = `table-${tables}`;
  const of = (connection: string): ConnectionMemory => {
    const known = connections.get(connection) ?? emptyMemory();
    connections.set(connection, known);
    return known;
  };
  return {
    takeLease: async (connection, until, now) => takeLease(of(connection), until, now),
    renewLease: async (lease, until) => {
      ownedBy(of(lease.connection), lease).until = until;
    },
    giveBack: async (lease, { topics, ...state }) => {
      const memory = ownedBy(of(lease.connection), lease);
      const { clock } = memory.position ?? EMPTY_STATE;
      change(memory, { ...state, topics, clock });
      memory.until = 0;
    },
    commit: async (lease, commit, time) => execute(ownedBy(of(lease.connection), lease), commit, time),
    loadState: async (connection) => of(connection).state,
    loadHeads: async (connection) =>
      [...of(connection).heads].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, head]) => head),
    readBuckets: async (connection, keys) => keys.map((key) => of(connection).buckets.get(nameOf(key)) ?? []),
    async *readLog(connection, after, topic) {
      for (const item of of(connection).log.filter(({ key }) => key > after))
        if (topic === undefined || item.topic === topic) yield item;
    },
    tableId: async () => id,
    loadCount: async (key) => of(key.connection).counts.get(nameOfCount(key)) ?? null,
    saveCount: async (key, hours) => {
      of(key.connection).counts.set(nameOfCount(key), frozen(hours));
    },
    loadAnswers: async (connection, payPeriodId) => of(connection).answers.get(payPeriodId) ?? new Map(),
    saveAnswers: async (lease, payPeriodId, { answers, until }) => {
      const memory = ownedBy(of(lease.connection), lease);
      memory.answers.set(payPeriodId, new Map(answers));
      memory.until = until;
    },
    restored: () => createStoreOver(structuredClone(connections)),
  };
}

function emptyMemory(): ConnectionMemory {
  return {
    ...{ state: null, until: 0, position: undefined, log: [] },
    ...{ heads: new Map(), buckets: new Map(), counts: new Map(), answers: new Map() },
  };
}

function takeLease(memory: ConnectionMemory, until: number, now: number): ConnectionState | null {
  const isHeld = memory.until > now && memory.until <= until + CLOCK_TOLERANCE_MS;
  if (memory.state !== null && isHeld) return null;
  const before = memory.state ?? EMPTY_STATE;
  memory.until = until;
  memory.state = frozen({ ...before, token: before.token + 1 });
  const clock = Math.max(now, before.clock + 1);
  memory.position = beginLog(clock);
  return { ...memory.state, clock };
}

function ownedBy(memory: ConnectionMemory, { connection, token }: Lease): ConnectionMemory {
  if (memory.state?.token !== token) throw new LeaseLost(connection);
  return memory;
}

function change(memory: ConnectionMemory, members: Partial<ConnectionState>): void {
  memory.state = frozen({ ...EMPTY_STATE, ...memory.state, ...members });
}

function execute(
  memory: ConnectionMemory,
  { heads, removedHeads, buckets, log, published, state }: Commit,
  { clock, until }: { readonly clock: number; readonly until: number },
): string[] {
  const writes = 1 + heads.length + removedHeads.length + buckets.length + log.length;
  if (writes > MAX_WRITES) throw new NotifierError('store_transaction_too_large', `${writes} items`);
  const first = followLog(memory.position, clock);
  memory.until = until;
  const place = (index: number) => ({ ...first, number: first.number + index });
  const items = log.map(
    (write, index): LogItem => frozen({ ...write, key: toLogKey(place(index)), committedAt: first.clock }),
  );
  memory.position = place(Math.max(0, log.length - 1));
  memory.log.push(...items);
  for (const head of heads) memory.heads.set(nameSlice(head), frozen(head));
  for (const slice of removedHeads) memory.heads.delete(nameSlice(slice));
  for (const { rows, ...key } of buckets) memory.buckets.set(nameOf(key), frozen(rows ?? []));
  const topics = { ...memory.state?.topics };
  for (const [topic, key] of Object.entries(published) as [EventTopic, string][])
    topics[topic] = { logged: topics[topic]?.logged ?? key, published: key };
  for (const { topic, key } of items)
    topics[topic] = { published: topics[topic]?.published ?? '', logged: key };
  change(memory, { ...state, clock: first.clock, topics });
  return items.map(({ key }) => key);
}

function nameOf({ from, ...slice }: BucketKey): string {
  return `${nameSlice(slice)}/${from}`;
}

function nameOfCount({ payPeriodId, name }: CountKey): string {
  return `${payPeriodId}#${name}`;
}

/** Freezes a value and everything in it that is not frozen yet. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}
