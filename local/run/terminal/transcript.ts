import type { Entry, EventEntry, Moment } from './entry.ts';

/** Fewer entries that are alike stay as they are. */
export const MIN_BURST = 5;
/** Real time. Shorter than the pause between two polls of the sample company, so that a burst is that of a poll. */
const MAX_GAP_MS = 800;
const MAX_SPAN_MS = 10_000;

/** Entries that are alike and came together, in one place. Blocks that still grow, and those below them, are pending. */
export interface Block {
  /** Null for an entry that is like no other. */
  readonly likeness: string | null;
  /** The first ones, which are shown unless there are `MIN_BURST`. */
  readonly entries: readonly Entry[];
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly summary: BurstSummary;
}

/** What a line about many events says besides their number. */
interface BurstSummary {
  /** When the first and the last of them happened; null without events. */
  readonly from: Moment | null;
  readonly to: Moment | null;
  readonly employees: ReadonlySet<string>;
  readonly late: number;
}

const NOTHING: BurstSummary = { from: null, to: null, employees: new Set(), late: 0 };

/** Adds an entry to the block that it is like, or below all others. `now` is real time in milliseconds. */
export function addEntry(blocks: readonly Block[], entry: Entry, now: number): readonly Block[] {
  const likeness = findLikeness(entry);
  const index = blocks.findLastIndex((block) => block.likeness === likeness && isGrowing(block, now));
  const block = blocks[index];
  if (block !== undefined) return blocks.with(index, extend(block, entry, now));
  const begun = { likeness, entries: [], count: 0, firstAt: now, lastAt: now, summary: NOTHING };
  return [...blocks, extend(begun, entry, now)];
}

export interface Settling {
  readonly now: number;
  /** Whether blocks are too tall to stay pending. */
  readonly isTooTall: (pending: readonly Block[]) => boolean;
}

interface Settled {
  readonly settled: readonly Block[];
  readonly pending: readonly Block[];
}

/** Settles the blocks from the top that no longer grow, and more of them while the rest is too tall. */
export function settle(blocks: readonly Block[], { now, isTooTall }: Settling): Settled {
  const growing = blocks.findIndex((block) => isGrowing(block, now));
  let first = growing === -1 ? blocks.length : growing;
  while (first < blocks.length && isTooTall(blocks.slice(first))) first += 1;
  return { settled: blocks.slice(0, first).flatMap(splitEntries), pending: blocks.slice(first) };
}

/** So that what has left the screen in part is as little as possible. */
function splitEntries(block: Block): Block[] {
  if (isBurst(block)) return [block];
  return block.entries.map((entry) => ({ ...block, entries: [entry], count: 1 }));
}

/** Whether a block is shown as one line that counts. */
export function isBurst({ count }: Block): boolean {
  return count >= MIN_BURST;
}

function isGrowing({ likeness, firstAt, lastAt }: Block, now: number): boolean {
  return likeness !== null && now - lastAt < MAX_GAP_MS && now - firstAt < MAX_SPAN_MS;
}

function findLikeness(entry: Entry): string | null {
  switch (entry.kind) {
    case 'event':
      return entry.type;
    case 'delivery': {
      const { webhook, did, type, taken } = entry.delivery;
      return taken === 0 ? null : `${webhook} ${did} ${type}`;
    }
    case 'message':
    case 'note':
    case 'day':
      return null;
  }
}

function extend(block: Block, entry: Entry, now: number): Block {
  const { entries, count, summary } = block;
  return {
    ...block,
    entries: entries.length < MIN_BURST ? [...entries, entry] : entries,
    count: count + 1,
    lastAt: now,
    summary: entry.kind === 'event' ? summarize(summary, entry) : summary,
  };
}

function summarize(summary: BurstSummary, { happened, employeeId, isLate }: EventEntry): BurstSummary {
  const { from, to, employees, late } = summary;
  return {
    from: from === null || happened.instant < from.instant ? happened : from,
    to: to === null || happened.instant > to.instant ? happened : to,
    employees: employeeId === null ? employees : new Set([...employees, employeeId]),
    late: late + (isLate ? 1 : 0),
  };
}
