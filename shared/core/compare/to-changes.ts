import { addDays, toLocalDate, type WatchedWindow } from '../dates.ts';
import type { Change } from '../events/events.ts';
import type { Reason } from '../outcome/reasons.ts';
import { type AbsenceRules, judgeMissing, type Missing } from '../records/absences.ts';
import { type FeedDefinition, parseRow, toState } from '../records/feed-definition.ts';
import { type RowMemory, type StoredRow, toNewRow } from '../snapshot/row.ts';
import type { Absence, Difference } from './compare.ts';

/**
 * What is done with a record that the slice does not know: it is told as created, or why not (rule 5). What time brought
 * is told if something has happened to it already.
 */
export type UnknownMode = 'created' | (Reason & ('baseline' | 'brought_by_time' | 'baseline_open'));

/** Why the records of a date that is read first after the baseline are not told as created. */
export function findFirstReason(
  date: string,
  baselinedAt: number,
  { timeZone, window }: { readonly timeZone: string; readonly window: WatchedWindow },
): Exclude<UnknownMode, 'created' | 'baseline_open'> {
  const lastRead = addDays(toLocalDate(baselinedAt, timeZone), window.forwardDays);
  return date > lastRead ? 'brought_by_time' : 'baseline';
}

/** What becomes of the records of a bucket. */
export interface BucketChanges {
  readonly changes: readonly Change[];
  /** Rows that are stored without an event, in place of those with the same ids. */
  readonly rows: readonly StoredRow[];
}

export interface ChangeRules {
  readonly definition: FeedDefinition;
  readonly mode: UnknownMode;
  /** When the slice was looked at whole before, and when this look saw it. */
  readonly observed: Change['observed'];
  /** When a look last certainly did not show who is unknown now: before the baseline was whole, they waited. */
  readonly unknownAfter: number | null;
  /** Records whose change waited: when a look last showed them as they are stored. */
  readonly waiting: ReadonlyMap<string, number | null>;
  /** An epoch that begins now. */
  readonly clock: number;
  /** By what missing clockings are judged, and when the look began; null where none are. */
  readonly absences: { readonly rules: AbsenceRules; readonly at: number } | null;
  /** What the rows of some pay periods remember from now on. */
  readonly memory: ReadonlyMap<string, RowMemory>;
}

/**
 * The changes of a bucket. `answers`: of those that were asked for by id; `held`: ids of records that stay as they are
 * stored.
 */
export function toChanges(
  difference: Difference,
  answers: ReadonlyMap<string, Absence>,
  rules: ChangeRules,
  held: ReadonlySet<string>,
): BucketChanges {
  const changes: Change[] = [];
  const rows: StoredRow[] = difference.readable.map(withoutBad);
  const change: Taken['change'] = (row, id, text, after = findAfter(id, row, rules)) => {
    if (held.has(id)) return;
    const answer = answers.get(id) ?? { outcome: 'unknown' };
    const by = answer.outcome === 'unknown' ? rules.observed.by : answer.at;
    changes.push({ id, before: row, text, observed: { after, by }, ...remember(row, text, id, rules) });
  };
  for (const { row, text } of difference.changed) change(row, row.id, text);
  for (const row of difference.absent) if (answers.get(row.id)?.outcome === 'gone') change(row, row.id, null);
  for (const row of listNewlyMissing(difference, rules)) change(row, row.id, row.text);
  takeUnknown(difference, rules, { rows, change });
  takeBad(difference, rules, rows);
  return { changes, rows };
}

/** Who waited since an earlier look was last seen as it is stored before that one. */
function findAfter(id: string, row: StoredRow | null, { observed, waiting }: ChangeRules): number | null {
  const after = row === null ? undefined : waiting.get(id);
  return after === undefined ? observed.after : after;
}

function withoutBad({ bad: _, ...row }: StoredRow): StoredRow {
  return row;
}

/** Rows that the look showed as they were, and whose clocking has become missing. */
function listNewlyMissing({ unchanged }: Difference, rules: ChangeRules): StoredRow[] {
  if (rules.absences === null) return [];
  return unchanged.filter((row) => {
    if (row.text === null) return false;
    const told = row.memory?.missing ?? {};
    const now = judge(row.text, told, rules);
    // Another threshold tells nothing of what was due before it held.
    const seenAt = rules.observed.after ?? Number.POSITIVE_INFINITY;
    return (['clockIn', 'clockOut'] as const).some(
      (clocking) => told[clocking] === undefined && (now[clocking] ?? 0) > seenAt,
    );
  });
}

function judge(text: string, told: Missing, { absences, definition }: ChangeRules): Missing {
  return absences === null ? told : judgeMissing(toState(definition, parseRow(text)), told, absences);
}

/** What the row of a changed record remembers. */
function remember(
  row: StoredRow | null,
  text: string | null,
  id: string,
  rules: ChangeRules,
): Pick<Change, 'memory'> {
  const known: RowMemory = rules.memory.get(id) ?? row?.memory ?? {};
  if (rules.absences === null || text === null) return rules.memory.has(id) ? { memory: known } : {};
  const { missing: told = {}, ...others } = known;
  const missing = judge(text, told, rules);
  return { memory: Object.keys(missing).length === 0 ? others : { ...others, missing } };
}

interface Taken {
  readonly rows: StoredRow[];
  /** `after`: when it was last seen as it was before, where that is not when its slice was. */
  readonly change: (row: StoredRow | null, id: string, text: string | null, after?: number | null) => void;
}

function takeUnknown(
  { unknown, movedIn, stored }: Difference,
  rules: ChangeRules,
  { rows, change }: Taken,
): void {
  const moved = new Set(movedIn.map(({ row }) => row.id));
  const stubs = new Map(stored.filter(({ text }) => text === null).map((row) => [row.id, row]));
  for (const [id, text] of unknown) {
    const isOld = stubs.get(id)?.bad?.isOld === true || (rules.mode === 'brought_by_time' && !stubs.has(id));
    if (moved.has(id) || (rules.mode === 'baseline_open' && !stubs.has(id))) continue;
    const isSilent = rules.mode === 'baseline' || (isOld && !hasFacts(rules.definition, text));
    if (isSilent) rows.push(toSilentRow(id, text, rules));
    else change(null, id, text, isOld ? null : rules.unknownAfter);
  }
}

/** What is missing when its date is read first is known, and not told. */
function toSilentRow(id: string, text: string, rules: ChangeRules): StoredRow {
  const missing = rules.mode === 'baseline' ? judge(text, {}, rules) : {};
  const memory = Object.keys(missing).length === 0 ? {} : { memory: { missing } };
  return { ...toNewRow(id, text, rules.clock), ...memory };
}

/** Whether something has happened to a record. */
export function hasFacts({ facts, fields }: FeedDefinition, text: string): boolean {
  const row = parseRow(text);
  return facts.some(({ field }) => row[fields.findIndex(({ name }) => name === field)] != null);
}

/** A record that cannot be read keeps its last state; a new one has none. */
function takeBad({ bad }: Difference, { mode, clock }: ChangeRules, rows: StoredRow[]): void {
  for (const { id, row, bad: mark } of bad) {
    if (row !== null)
      rows.push({ ...row, bad: { ...mark, ...(row.bad?.isOld === true ? { isOld: true } : {}) } });
    else if (mode !== 'baseline_open') {
      const isOld = mode === 'created' ? {} : ({ isOld: true } as const);
      rows.push({ ...toNewRow(id, null, clock), bad: { ...mark, ...isOld } });
    }
  }
}
