import type { Line } from '../../routes/lines.ts';

/** Events of one type that follow each other within this time are a group. */
const MAX_GAP_MS = 30 * 60_000;
const MAX_SPAN_MS = 3 * 60 * 60_000;
/** Fewer stay as they are. */
const MIN_GROUP_LINES = 3;

/** Many events of one type that happened together. */
export interface LineGroup {
  readonly kind: 'group';
  readonly key: string;
  /** In the order of the log. */
  readonly lines: readonly Line[];
}

interface SingleLine {
  readonly kind: 'line';
  readonly key: string;
  readonly line: Line;
  /** Inside of an opened group. */
  readonly isInside: boolean;
}

interface Day {
  readonly kind: 'day';
  readonly key: string;
  /** A line of that day. */
  readonly line: Line;
}

export type Row = LineGroup | SingleLine | Day;

interface OpenGroup {
  readonly lines: Line[];
  readonly startedAt: number;
  lastAt: number;
}

/** Sorts lines, which are in the order of the log, into groups. Each line is in exactly one. */
export function groupLines(lines: readonly Line[]): readonly (readonly Line[])[] {
  const open = new Map<string, OpenGroup>();
  const groups: OpenGroup[] = [];
  for (const line of lines) {
    const at = Date.parse(line.seenAt);
    const kind = `${line.connection} ${line.type}`;
    const known = open.get(kind);
    if (known !== undefined && at - known.lastAt <= MAX_GAP_MS && at - known.startedAt <= MAX_SPAN_MS) {
      known.lines.push(line);
      known.lastAt = Math.max(known.lastAt, at);
      continue;
    }
    const group = { lines: [line], startedAt: at, lastAt: at };
    open.set(kind, group);
    groups.push(group);
  }
  return groups.map((group) => group.lines);
}

export interface RowOptions {
  /** Ids of events whose groups are open. */
  readonly open: ReadonlySet<string>;
  /** The calendar date of a line, where a new one begins a new heading. */
  readonly dayOf: (line: Line) => string;
}

/** The rows of the live screen, newest first. */
export function buildRows(lines: readonly Line[], { open, dayOf }: RowOptions): Row[] {
  const items = groupLines(lines).flatMap((group): (LineGroup | SingleLine)[] => {
    const [first] = group;
    if (first === undefined) return [];
    if (group.length >= MIN_GROUP_LINES) return [{ kind: 'group', key: first.key, lines: group }];
    return group.map((line) => ({ kind: 'line', key: line.key, line, isInside: false }));
  });
  // Nearly sorted, which sorts fast.
  const newestFirst = items
    .reverse()
    .map((item) => ({ item, newest: findNewest(item) }))
    .sort((a, b) => (a.newest.key < b.newest.key ? 1 : -1));
  const rows: Row[] = [];
  const days = new Set<string>();
  for (const { item, newest } of newestFirst) {
    const date = dayOf(newest);
    if (!days.has(date)) rows.push({ kind: 'day', key: `day ${date}`, line: newest });
    days.add(date);
    rows.push(item);
    if (item.kind === 'group' && isOpen(item, open)) rows.push(...listInside(item));
  }
  return rows;
}

export function isOpen({ lines }: LineGroup, open: ReadonlySet<string>): boolean {
  return open.size > 0 && lines.some(({ id }) => open.has(id));
}

function findNewest(item: LineGroup | SingleLine): Line {
  if (item.kind === 'line') return item.line;
  return item.lines.at(-1) as Line;
}

function listInside({ lines }: LineGroup): SingleLine[] {
  return lines
    .toReversed()
    .map((line) => ({ kind: 'line', key: `${line.key} inside`, line, isInside: true }));
}

/** What a group says besides its number. Instants are milliseconds since 1970. */
export interface GroupSummary {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  readonly departments: number;
  readonly people: number;
  readonly late: number;
}

export function summarizeGroup({ lines }: Pick<LineGroup, 'lines'>): GroupSummary {
  const times = lines.map(({ occurredAt, seenAt }) => Date.parse(occurredAt ?? seenAt));
  const count = (values: readonly (string | null)[]) => new Set(values.filter((each) => each !== null)).size;
  return {
    count: lines.length,
    from: times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    to: times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    departments: count(lines.map(({ departmentId }) => departmentId)),
    people: count(lines.map(({ employeeId }) => employeeId)),
    late: lines.filter(({ late }) => late.length > 0).length,
  };
}
