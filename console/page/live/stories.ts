import type { Line } from '../../routes/lines.ts';

/** Events of one type that follow each other within this time are one story. */
const MAX_GAP_MS = 30 * 60_000;
const MAX_SPAN_MS = 3 * 60 * 60_000;
/** Fewer stay as they are. */
const MIN_STORY_LINES = 3;

/** Many events of one type that happened together. */
export interface Story {
  readonly kind: 'story';
  readonly key: string;
  /** In the order of the log. */
  readonly lines: readonly Line[];
}

interface SingleLine {
  readonly kind: 'line';
  readonly key: string;
  readonly line: Line;
  /** Inside of an opened story. */
  readonly isInside: boolean;
}

interface Day {
  readonly kind: 'day';
  readonly key: string;
  /** A line of that day. */
  readonly line: Line;
}

export type Row = Story | SingleLine | Day;

interface OpenStory {
  readonly lines: Line[];
  readonly startedAt: number;
  lastAt: number;
}

/** Groups lines, which are in the order of the log, into stories. Each line is in exactly one. */
export function groupStories(lines: readonly Line[]): readonly (readonly Line[])[] {
  const open = new Map<string, OpenStory>();
  const stories: OpenStory[] = [];
  for (const line of lines) {
    const at = Date.parse(line.seenAt);
    const kind = `${line.connection} ${line.type}`;
    const known = open.get(kind);
    if (known !== undefined && at - known.lastAt <= MAX_GAP_MS && at - known.startedAt <= MAX_SPAN_MS) {
      known.lines.push(line);
      known.lastAt = Math.max(known.lastAt, at);
      continue;
    }
    const story = { lines: [line], startedAt: at, lastAt: at };
    open.set(kind, story);
    stories.push(story);
  }
  return stories.map((story) => story.lines);
}

export interface RowOptions {
  /** Ids of events whose stories are open. */
  readonly open: ReadonlySet<string>;
  /** The calendar date of a line, where a new one begins a new heading. */
  readonly dayOf: (line: Line) => string;
}

/** The rows of the live screen, newest first. */
export function buildRows(lines: readonly Line[], { open, dayOf }: RowOptions): Row[] {
  const items = groupStories(lines).flatMap((story): (Story | SingleLine)[] => {
    const [first] = story;
    if (first === undefined) return [];
    if (story.length >= MIN_STORY_LINES) return [{ kind: 'story', key: first.key, lines: story }];
    return story.map((line) => ({ kind: 'line', key: line.key, line, isInside: false }));
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
    if (item.kind === 'story' && isOpen(item, open)) rows.push(...listInside(item));
  }
  return rows;
}

export function isOpen({ lines }: Story, open: ReadonlySet<string>): boolean {
  return open.size > 0 && lines.some(({ id }) => open.has(id));
}

function findNewest(item: Story | SingleLine): Line {
  if (item.kind === 'line') return item.line;
  return item.lines.at(-1) as Line;
}

function listInside({ lines }: Story): SingleLine[] {
  return lines
    .toReversed()
    .map((line) => ({ kind: 'line', key: `${line.key} inside`, line, isInside: true }));
}

/** What a story says besides its number. Instants are milliseconds since 1970. */
export interface StorySummary {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  readonly departments: number;
  readonly people: number;
  readonly late: number;
}

export function summarizeStory({ lines }: Pick<Story, 'lines'>): StorySummary {
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
