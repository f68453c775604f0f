import type { FeedName } from '#shared/core/feeds.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import type { Engine, Rewire } from './history.ts';

/** Ids of all timesheets that a history may have. */
const ANYBODYS = Array.from({ length: 100 }, (_, place) => `${place + 1}_1`);

/** Mistakes that show only where two features meet: each forgets or mistakes what another one left. */
const MISTAKES: Readonly<Record<string, () => Rewire>> = {
  // What is known of pay periods between their lists.
  'forgets the pay periods between two polls': stateOf('pay-periods', (state) => ({
    ...state,
    payPeriods: [],
  })),
  'goes by the first list of pay periods for ever': keepingHints((lists) => lists[0]),
  'lets the list of pay periods before win': keepingHints((lists) => lists.at(-2)),
  'takes every pay period for open': hintsAs((hint) => ({ ...hint, closed: false })),
  'takes every pay period for closed': hintsAs((hint) => ({ ...hint, closed: true })),
  'takes a closing that it holds for told': hintsAs(({ heldClosing: _, ...hint }) => hint),
  'knows the pay periods of one calendar alone': stateOf('pay-periods', (state) => ({
    ...state,
    payPeriods: state.payPeriods.filter(({ calendar }) => calendar === 'Weekly'),
  })),
  'takes pay periods for a day longer': hintsAs((hint) => ({
    ...hint,
    finishDate: nextDay(hint.finishDate),
  })),
  // What the source says that a period comes to.
  'compares with the first totals of a period': totalsAs((seen) => seen[0]),
  'compares with the totals of the list before': totalsAs((seen) => seen.at(-2) ?? seen[0]),
  'compares with the totals of another period': totalsOfOthers,
  // Dates, and when they were looked at.
  'says that what it counts is of now': headsOf((head, now) => ({ ...head, observedAt: now })),
  'counts facts that it has not told': rowsOf(({ untold: _, ...row }) => row),
  // What is held.
  'forgets removals that it holds': stateOf('timesheets', (state) => ({ ...state, shrunk: {} })),
  'forgets losses that it holds': stateOf('timesheets', (state) => ({ ...state, massChange: {} })),
  // Who belongs to which calendar.
  'takes everybody for a member of each period': source(() => ({ listMembers: async () => ANYBODYS })),
  'asks about another period': askingOther,
  'knows everybody as one of the first calendar': store(({ store: right }) => ({
    loadMembership: async (connection) => {
      const known = await right.loadMembership(connection);
      const employees = [...known.employees].map(
        ([id, entry]) => [id, { ...entry, calendar: 'Weekly' }] as const,
      );
      return { ...known, employees: new Map(employees) };
    },
  })),
  // What a statement remembers of the one before.
  'forgets its statements': rowsOf(({ statement: _, ...row }) => row),
  'awaits no final statement': memoryAs((memory) => ({ ...memory, awaits: null })),
  'counts closings from the start': memoryAs((memory) => ({ ...memory, closings: 0 })),
  'forgets the hours of the first closing': memoryAs((memory) => ({
    ...memory,
    closedHours: memory.closedHours + 1,
  })),
  'holds a statement against nothing': memoryAs((memory) => ({ ...memory, last: null })),
  'holds a period against an empty ledger': store(({ store: right }) => ({
    loadLedger: async (key) => ((await right.loadLedger(key)) == null ? null : []),
  })),
  // Reminders.
  'forgets what it reminded of': stateAndRows,
  'takes all moments so far for told': stateOf('pay-periods', (state, now) => ({
    ...state,
    remindedUntil: now,
  })),
  // Tables and epochs.
  'cannot tell in which table it is': store(() => ({ tableId: async () => null })),
  'forgets that its table was restored': stateOf('timesheets', ({ restoredAt: _, ...state }) => state),
  // Records that lists leave out.
  'takes a record that it could not ask for as removed': source((right) => ({
    lookUp: async (feed, id) => {
      const at = 0;
      return await right.lookUp(feed, id).catch(() => ({ outcome: 'gone', requestedAt: at, receivedAt: at }));
    },
  })),
  'takes a pay period that its list leaves out for removed': source((right) => ({
    lookUp: async (feed, id) => {
      const found = await right.lookUp(feed, id);
      return feed === 'pay-periods' ? { ...found, outcome: 'gone' } : found;
    },
  })),
};

const right = () => (ports: PollPorts) => ports;

/** Mistakes of what is sent again, and of what a new subscriber begins with. */
const RESENDING: readonly Engine[] = [
  {
    name: 'sends again what it would tell now',
    start: right,
    sendAgain: (texts) =>
      texts.map((text) => text.replace(/"time":"[^"]*"/, '"time":"2026-01-01T00:00:00.000Z"')),
  },
  { name: 'sends again the newest first', start: right, sendAgain: (texts) => texts.toReversed() },
  { name: 'sends again the latest half', start: right, sendAgain: (texts) => texts.slice(texts.length / 2) },
  {
    name: 'begins a snapshot with empty records',
    start: right,
    snapshotOf: (store) => ({
      ...store,
      readLeaves: async (feed, refs) =>
        (await store.readLeaves(feed, refs)).map((leaf) => ({
          ...leaf,
          rows: leaf.rows.map((row) => ({
            ...row,
            sequence: row.sequence + 1,
            state: row.state.map(() => null),
          })),
        })),
    }),
  },
];

/** Engines with one mistake each. */
export const BETWEEN_ENGINES: readonly Engine[] = [
  ...Object.entries(MISTAKES).map(([name, start]): Engine => ({ name, start })),
  ...RESENDING,
];

type Hint = FeedState['payPeriods'][number];
type Memory = NonNullable<LeafRow['statement']>;

function store(wrong: (ports: PollPorts) => Partial<PollPorts['store']>): () => Rewire {
  return () => (ports) => ({ ...ports, store: { ...ports.store, ...wrong(ports) } });
}

function source(wrong: (right: SourceApi) => Partial<SourceApi>): () => Rewire {
  return () => (ports) => ({ ...ports, source: withPart(ports.source, wrong(ports.source)) });
}

/** The methods of a source with some of them replaced. */
function withPart(right: SourceApi, part: Partial<SourceApi>): SourceApi {
  return {
    pages: (...given) => right.pages(...given),
    lookUp: (...given) => right.lookUp(...given),
    counts: () => right.counts(),
    listMembers: (employeeId, payPeriodId) =>
      right.listMembers?.(employeeId, payPeriodId) ?? Promise.resolve([]),
    ...part,
  };
}

function stateOf(feed: FeedName, wrong: (state: FeedState, now: number) => FeedState): () => Rewire {
  return store(({ store: right, clock }) => ({
    loadFeedState: async (key) => {
      const stored = await right.loadFeedState(key);
      if (stored === null || key.feed !== feed) return stored;
      return { ...stored, state: wrong(stored.state, clock.now()) };
    },
  }));
}

function hintsAs(wrong: (hint: Hint) => Hint): () => Rewire {
  return stateOf('pay-periods', (state) => ({ ...state, payPeriods: state.payPeriods.map(wrong) }));
}

/** Of all lists that were stored, another one than the last is kept. */
function keepingHints(
  select: (lists: readonly (readonly Hint[])[]) => readonly Hint[] | undefined,
): () => Rewire {
  return () => {
    const lists: (readonly Hint[])[] = [];
    return (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        saveFeedState: async (write) => {
          if (write.feed.feed !== 'pay-periods' || write.state.payPeriods.length === 0)
            return await ports.store.saveFeedState(write);
          lists.push(write.state.payPeriods);
          const payPeriods = [...(select(lists) ?? write.state.payPeriods)];
          return await ports.store.saveFeedState({ ...write, state: { ...write.state, payPeriods } });
        },
      },
    });
  };
}

type Totals = Readonly<Record<string, unknown>>;

/** The totals of each period as another list had them. */
function totalsAs(select: (seen: readonly Totals[]) => Totals | undefined): () => Rewire {
  return () => {
    const seen = new Map<string, Totals[]>();
    return listsAs((record) => {
      const { hours, numberEmployees, numberTimesheets } = record;
      const own = [...(seen.get(String(record.id)) ?? []), { hours, numberEmployees, numberTimesheets }];
      seen.set(String(record.id), own);
      return { ...record, ...select(own) };
    });
  };
}

function totalsOfOthers(): Rewire {
  let last: Totals = {};
  return listsAs((record) => {
    const { hours, numberEmployees, numberTimesheets } = record;
    const other = last;
    last = { hours, numberEmployees, numberTimesheets };
    return { ...record, ...other };
  });
}

/** Lists of pay periods with other records. */
function listsAs(wrong: (record: Totals) => Totals): Rewire {
  return (ports) => ({
    ...ports,
    source: withPart(ports.source, {
      pages: async function* (feed, range) {
        const pages = ports.source.pages(feed, range);
        for (;;) {
          const next = await pages.next();
          if (next.done === true) return next.value;
          const { records } = next.value;
          yield feed === 'timesheets'
            ? next.value
            : { ...next.value, records: records.map((record) => wrong(record as Totals)) };
        }
      },
    }),
  });
}

type Head = Awaited<ReturnType<PollPorts['store']['loadHeads']>>[number];

/** Heads of timesheets as polls of pay periods read them. */
function headsOf(wrong: (head: Head, now: number) => Head): () => Rewire {
  return store(({ store: right, clock }) => {
    let own: FeedName | null = null;
    return {
      acquireLease: async (key, lease) => {
        own = key.feed;
        return await right.acquireLease(key, lease);
      },
      loadHeads: async (key, from) => {
        const heads = await right.loadHeads(key, from);
        const isOther = own === 'pay-periods' && key.feed === 'timesheets';
        return isOther ? heads.map((head) => wrong(head, clock.now())) : heads;
      },
    };
  });
}

function rowsOf(wrong: (row: LeafRow) => LeafRow): () => Rewire {
  return store(({ store: right }) => ({
    readLeaves: async (feed, refs) =>
      (await right.readLeaves(feed, refs)).map((leaf) => ({ ...leaf, rows: leaf.rows.map(wrong) })),
  }));
}

function memoryAs(wrong: (memory: Memory) => Memory): () => Rewire {
  return rowsOf((row) => (row.statement === undefined ? row : { ...row, statement: wrong(row.statement) }));
}

function stateAndRows(): Rewire {
  const rows = rowsOf(({ remindedAt: _, ...row }) => row)();
  const state = stateOf('pay-periods', ({ remindedUntil, ...rest }) =>
    remindedUntil === undefined ? rest : { ...rest, remindedUntil: remindedUntil - 3_600_000 },
  )();
  return (ports, settings) => state(rows(ports, settings), settings);
}

/** Each question is about the period of the one before. */
function askingOther(): Rewire {
  let before: string | null = null;
  return (ports) => ({
    ...ports,
    source: withPart(ports.source, {
      listMembers: async (employeeId, payPeriodId) => {
        const asked = before ?? payPeriodId;
        before = payPeriodId;
        return (await ports.source.listMembers?.(employeeId, asked)) ?? [];
      },
    }),
  });
}

function nextDay(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
}
