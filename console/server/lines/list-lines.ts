import type { Line, LineFilter } from '#console/answers/lines.ts';
import { parseInstant } from '#shared/core/dates.ts';
import { instantOfLogKey, logKeyAt } from '#shared/core/snapshot/log-key.ts';
import type { ConsoleContext } from '../context.ts';
import { describeCommit, toCommitKey } from './describe-line.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What is read at first; each further step back is twice as long. */
const FIRST_STEP_MS = 2 * HOUR_MS;
const MAX_STEP_MS = 7 * DAY_MS;
/** Lines that one request reads at most while it looks for those that are wanted. */
const MAX_LINES_READ = 50_000;

export interface ListRequest {
  /** Only lines before this key or instant; null for the newest. */
  readonly before: string | null;
  /** Nothing that was committed before, in milliseconds since 1970; absent: back to the beginning of the log. */
  readonly from?: number;
  readonly limit: number;
  readonly isWanted: (line: Line) => boolean;
}

export interface ListedLines {
  /** Newest first. */
  readonly lines: readonly Line[];
  /** Where to go on; null at the beginning of the log. */
  readonly next: string | null;
}

/** Lists lines of the log backwards in time. Throws what the store throws. */
export async function listLines(context: ConsoleContext, asked: ListRequest): Promise<ListedLines> {
  const request = { ...asked, before: asked.before === null ? null : toKey(asked.before) };
  const found: Line[] = [];
  let read = 0;
  for (const between of listStretches(context, request)) {
    for (const commit of await readCommits(context, between, request.before)) {
      const lines = commit.lines().reverse();
      read += lines.length;
      const wanted = lines.filter((line) => isBefore(line, request) && request.isWanted(line));
      found.push(...wanted.slice(0, request.limit - found.length));
      const last = found.at(-1);
      if (found.length === request.limit && last !== undefined) return { lines: found, next: last.key };
    }
    if (read >= MAX_LINES_READ) return { lines: found, next: logKeyAt(between.from) };
  }
  return { lines: found, next: null };
}

/** An instant stands for the key at which it begins. */
function toKey(before: string): string {
  const instant = parseInstant(before, 'UTC');
  return instant === null ? before : logKeyAt(instant);
}

function isBefore({ key }: Line, { before }: ListRequest): boolean {
  return before === null || key < before;
}

/** From the end of the log, or a key, back to where it begins, in steps that grow. */
function* listStretches(
  { target: { connections, system } }: ConsoleContext,
  { before, from: first }: Pick<ListRequest, 'before' | 'from'>,
): Generator<{ readonly from: number; readonly to: number }> {
  const now = Math.floor(system.now());
  const retentionDays = Math.max(...connections.map((each) => each.retentionDays));
  const beginning = first ?? now - (retentionDays + 1) * DAY_MS;
  // A day ahead: what another clock than this one committed.
  let to = before === null ? now + DAY_MS : readInstant(before) + 1;
  let step = before === null ? DAY_MS + FIRST_STEP_MS : FIRST_STEP_MS;
  while (to > beginning) {
    const from = Math.max(beginning, to - step);
    yield { from, to };
    to = from;
    step = Math.min(2 * step, MAX_STEP_MS);
  }
}

interface PlacedCommit {
  readonly key: string;
  readonly lines: () => Line[];
}

/** The commits of a stretch of time that have lines before a key, newest first. */
async function readCommits(
  { target, log, knowledge }: ConsoleContext,
  between: { readonly from: number; readonly to: number },
  before: string | null,
): Promise<readonly PlacedCommit[]> {
  const commits: PlacedCommit[] = [];
  await Promise.all(
    target.connections.map(async ({ name }) => {
      const known = await knowledge.load(name);
      for await (const commit of log.read(name, between)) {
        const key = toCommitKey(commit, name);
        if (before === null || key < before)
          commits.push({ key, lines: () => describeCommit(commit, known) });
      }
    }),
  );
  return commits.sort((a, b) => compareKeys(b, a));
}

export function compareKeys(a: Pick<Line, 'key'>, b: Pick<Line, 'key'>): number {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

/** The instant at which a key begins. */
function readInstant(key: string): number {
  const instant = instantOfLogKey(key);
  return Number.isNaN(instant) ? 0 : instant;
}

/** Whether a line is wanted. */
export function createLineTest(filter: LineFilter): (line: Line) => boolean {
  const matchesType = createTypeTest(filter.type);
  return (line) =>
    matchesType(line.type) &&
    (filter.connection === undefined || line.connection === filter.connection) &&
    (filter.department === undefined || line.departmentId === filter.department) &&
    (filter.late === undefined || line.late.length > 0);
}

/** `timesheet.*`, or several patterns with commas in between. */
export function createTypeTest(pattern: string | undefined): (type: string) => boolean {
  if (pattern === undefined) return () => true;
  const parts = pattern.split(',').map((part) => part.trim().replace(/^workforce\./, ''));
  return (type) => parts.some((part) => matches(type, part.split('*')));
}

/** Without a regular expression: the pattern is in an address that anybody may have written. */
function matches(type: string, [first = '', ...rest]: readonly string[]): boolean {
  if (!type.startsWith(first)) return false;
  let from = first.length;
  for (const [index, piece] of rest.entries()) {
    if (index === rest.length - 1) return type.length - piece.length >= from && type.endsWith(piece);
    const at = type.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from === type.length;
}
