import { type FoldState, fold } from '#kit/fold.ts';
import type { RecordEvent } from '#kit/workforce-event.ts';
import type { TrackedRecord } from '#local/source/world/records.ts';
import { computeWindow, toLocalDate } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { KnownRecord } from '../history.ts';
import { connectionAt } from '../settings.ts';
import { type Evidence, isOperation } from './evidence.ts';
import { isDerived, shownTextOf, sliceOf, textOf, watchedOf } from './reading.ts';

/**
 * Once nothing changes or fails any more, all is told and nothing waits: the stored rows are the world, and so is what a
 * subscriber keeps who folds what was published; nothing is in doubt, and no trouble is open.
 */
export function judgeEnd(evidence: Evidence): void {
  const { end, settings } = evidence.history;
  for (const [key, slices] of end.doubled)
    if (slices.every((slice) => isWatched(evidence, key.split('/')[0] as FeedName, slice)))
      evidence.violate(key, `has rows on ${slices}`);
  for (const feed of settings.feeds)
    for (const record of evidence.history.world.records[feed].values()) judgeRow(evidence, record);
  for (const known of end.rows.values()) {
    if (evidence.record(known.feed, known.id) === undefined)
      evidence.violate(`${known.feed} ${known.id}`, 'is stored and never was');
    if (known.row.bad !== undefined && isWatched(evidence, known.feed, known.slice))
      evidence.violate(`${known.feed} ${known.id}`, 'is still unreadable');
  }
  judgeRest(evidence);
  judgeFolded(evidence);
  judgeSilence(evidence);
  judgeBeginnings(evidence);
}

/** That a feed is read whole is told; after a restore each record that is there begins anew (rules 5 and 16). */
function judgeBeginnings(evidence: Evidence): void {
  const { end, settings, faults } = evidence.history;
  for (const feed of settings.feeds) {
    const isTold = evidence.told.some(({ type, feed: of }) => type === 'baseline.completed' && of === feed);
    if (end.state?.baselined[feed] !== undefined && !isTold)
      evidence.violate(feed, 'nobody is told that it is read whole');
  }
  const { renewal } = settings;
  if (renewal === null || isInstalledAnew(evidence)) return;
  if (evidence.isUncertain || faults.counts.has('skewed_clock')) return;
  for (const { feed, id, slice, row } of end.rows.values())
    if (isWatched(evidence, feed, slice) && row.epoch < renewal.at)
      evidence.violate(`${feed} ${id}`, 'goes on in an epoch of before the restore');
}

/** Whether a slice is read in the end. */
function isWatched({ history }: Evidence, feed: FeedName, slice: string): boolean {
  if (feed !== 'timesheets') return true;
  const { settings, journal } = history;
  const at = journal.polls.at(-1)?.startedAt ?? 0;
  const { timeZone, window } = connectionAt(settings, at);
  const { from, to } = computeWindow(settings.quietFrom, timeZone, window);
  // Dates that the quiet phase brings in or leaves behind are not judged.
  const isToday = toLocalDate(at, timeZone) === toLocalDate(settings.quietFrom, timeZone);
  return isToday ? from <= slice && slice <= to : from < slice && slice < to;
}

function judgeRow(evidence: Evidence, record: TrackedRecord): void {
  const { feed, id, latest } = record;
  const about = `${feed} ${id}`;
  const known = evidence.history.end.rows.get(`${feed}/${id}`);
  if (latest === null) {
    if (known !== undefined && isWatched(evidence, feed, known.slice))
      evidence.violate(about, `lost: is gone, and still stored on ${known.slice}`);
    return;
  }
  const slice = sliceOf(feed, latest);
  if (!isWatched(evidence, feed, slice)) {
    if (known !== undefined && known.slice !== slice && isWatched(evidence, feed, known.slice))
      evidence.violate(about, `lost: left ${known.slice} for ${slice}`);
    return;
  }
  if (known?.state == null) evidence.violate(about, 'lost: is not stored');
  else if (known.slice !== slice) evidence.violate(about, `lost: is stored on ${known.slice}, not ${slice}`);
  else if (textOf(feed, known.state) !== textOf(feed, watchedOf(feed, latest)))
    evidence.violate(about, 'lost: its last state is not stored');
}

function judgeRest(evidence: Evidence): void {
  const { state, heads } = evidence.history.end;
  if (state === null) return;
  for (const trouble of state.troubles.filter(({ kind }) => kind !== 'publish_failed'))
    evidence.violate(`${trouble.feed} ${trouble.subject}`, `${trouble.kind} is still open`);
  for (const [slice, { code }] of Object.entries(state.failing))
    if (isWatchedName(evidence, slice)) evidence.violate(slice, `still fails: ${code}`);
  for (const { feed, slice, doubt, bad, unlisted, pending } of heads) {
    if (!isWatched(evidence, feed, slice)) continue;
    const left = { doubt, bad, unlisted, pending: pending?.[0] ?? null };
    for (const [name, note] of Object.entries(left))
      if (note !== null) evidence.violate(`${feed}#${slice}`, `still has a note: ${name}`);
  }
}

function isWatchedName(evidence: Evidence, name: string): boolean {
  const [feed, slice] = name.split('#') as [FeedName, string];
  return isWatched(evidence, feed, slice);
}

/** What a subscriber keeps who folds all that came, and what a topic refused for good. */
function judgeFolded(evidence: Evidence): void {
  const { publications, refused } = evidence.history.journal;
  const states = new Map<string, FoldState>();
  for (const text of [...publications.map((each) => each.text), ...refused]) {
    const event = JSON.parse(text) as RecordEvent & { readonly source: string };
    if (isOperation(event.type.replace('workforce.', ''))) continue;
    const key = `${event.source.split('/').at(-1)}/${event.subject}`;
    states.set(key, fold(states.get(key) ?? null, event).state);
  }
  for (const [key, folded] of states) judgeFoldedRecord(evidence, key, folded);
}

function judgeFoldedRecord(evidence: Evidence, key: string, { current, removed, epoch }: FoldState): void {
  const [feed, id] = key.split('/') as [FeedName, string];
  const { settings, end } = evidence.history;
  const known = end.rows.get(key);
  const { renewal } = settings;
  // A poll that was under way when the table was replaced may tell something from the old one.
  const isNews = evidence.stories[feed]
    .get(id)
    ?.some((event) => event.epoch === epoch && (renewal === null || event.table > 1));
  // Of a new installation nobody is told what changed while it was not there.
  if (evidence.isDoubled(feed, id) || (!isNews && isInstalledAnew(evidence))) return;
  if (known === undefined || known.state === null) {
    // What was told to be on a date that nobody watches is looked for nowhere.
    const isLookedFor = current !== null && isWatched(evidence, feed, sliceOf(feed, { ...current }));
    if (!removed && isNews && isLookedFor) judgeUnknown(evidence, key);
    return;
  }
  // Who came back to a date before it was first read is silent (rule 5).
  const isSilent = known.row.sequence === 0 && removed;
  if (isSilent || !isWatched(evidence, feed, known.slice)) return;
  judgeKnown(evidence, key, removed ? null : current, withoutDerived(known));
}

/** A backup from before the first commit holds nothing: nobody can tell it from a new table. */
function isInstalledAnew({ history: { settings, journal } }: Evidence): boolean {
  const { renewal } = settings;
  if (renewal === null) return false;
  const { backupAt } = renewal;
  return backupAt === null || !journal.committed.some(({ table, at }) => table === 1 && at <= backupAt);
}

function judgeKnown(
  evidence: Evidence,
  key: string,
  current: FoldState['current'],
  state: Readonly<Record<string, unknown>>,
): void {
  const feed = key.split('/')[0] as FeedName;
  if (current === null) evidence.violate(key, 'lost: who folds its events does not have it');
  else if (shownTextOf(feed, { ...current }) !== shownTextOf(feed, state))
    evidence.violate(key, 'lost: who folds its events has another state');
}

/** A subscriber has a record that is not stored. */
function judgeUnknown(evidence: Evidence, key: string): void {
  const [feed, id] = key.split('/') as [FeedName, string];
  const latest = evidence.record(feed, id)?.latest ?? null;
  if (latest !== null && isWatched(evidence, feed, sliceOf(feed, latest)))
    evidence.violate(key, 'lost: who folds its events has one that is not stored');
  if (latest === null && !wasDropped(evidence, key))
    evidence.violate(key, 'lost: who folds its events still has it');
}

/** Its date left the window: nobody looks there any more. */
function wasDropped(evidence: Evidence, key: string): boolean {
  const [feed, id] = key.split('/') as [FeedName, string];
  const versions = evidence.record(feed, id)?.versions ?? [];
  const last = versions.findLast(({ record }) => record !== null)?.record;
  return last == null || !isWatched(evidence, feed, sliceOf(feed, last));
}

function withoutDerived({ state }: KnownRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(state ?? {}).filter(([name]) => !isDerived(name)));
}

/** Whoever came to a slice after it was first read is told: an empty baseline swallows nobody (rule 5). */
function judgeSilence(evidence: Evidence): void {
  const { settings, end, journal } = evidence.history;
  if (settings.renewal !== null || settings.redeployed !== null || evidence.isUncertain) return;
  for (const { feed, slice, id, row } of end.rows.values()) {
    if (row.sequence > 0 || row.text === null) continue;
    const wholeAt = journal.baselines.get(`1 ${feed}`);
    const record = evidence.record(feed, id);
    if (wholeAt === undefined || record === undefined) continue;
    const at = arrivedAt(record, slice);
    // Known all the while: it only seemed to be gone.
    if (row.epoch < at - evidence.toleranceMs) continue;
    const wasSeenWithout = evidence
      .goodLooks(feed, slice)
      .some((walk) => walk.endedAt < at && !walk.content.has(id));
    if (at > wholeAt && wasSeenWithout)
      evidence.violate(`${feed} ${id}`, `lost: came at ${at} to ${slice}, and nothing was told of it`);
  }
}

/** Since when a record is on a slice. */
function arrivedAt(record: TrackedRecord, slice: string): number {
  let arrived = record.versions.length - 1;
  while (arrived > 0 && isOn(record, arrived - 1, slice)) arrived -= 1;
  return record.versions[arrived]?.at ?? 0;
}

function isOn(record: TrackedRecord, version: number, slice: string): boolean {
  const raw = record.version(version);
  return raw !== null && sliceOf(record.feed, raw) === slice;
}
