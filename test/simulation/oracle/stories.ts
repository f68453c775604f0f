import type { TrackedRecord } from '#local/source/world/records.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { groupBy } from '#shared/core/group-by.ts';
import { type Evidence, type Told, versionsBetween, wasAway } from './evidence.ts';
import { isDerived, saysGone, saysNew, shownTextOf, sliceOf, type Watched, watchedOf } from './reading.ts';

type State = Readonly<Record<string, unknown>>;

const MINUTE_MS = 60_000;

/** What a subscriber knows of a record: null for nothing, or for its removal. */
interface Known {
  readonly state: State | null;
  /** Something was told of it in this epoch. */
  readonly isKnown: boolean;
}

/**
 * The events of each record tell one life: each goes on from the state before it, no state is one that never was
 * between its two instants of observation, and who is removed was gone.
 */
export function judgeStories(evidence: Evidence): void {
  for (const feed of Object.keys(evidence.stories) as FeedName[])
    for (const [id, events] of evidence.stories[feed]) {
      const record = evidence.record(feed, id);
      if (record === undefined) evidence.violate(`${feed} ${id}`, 'nobody like that ever was');
      else if (!evidence.isDoubled(feed, id)) judgeStory(evidence, record, events);
    }
}

function judgeStory(evidence: Evidence, record: TrackedRecord, events: readonly Told[]): void {
  for (const ofTable of groupBy(events, ({ table }) => table).values()) {
    let known: Known = { state: null, isKnown: false };
    let epoch = '';
    for (const group of groupBy(ofTable, ({ commit }) => commit).values()) {
      const [first] = group;
      if (first === undefined) continue;
      // A restored record begins anew: what was told between backup and restore is not known any more.
      const isNew = first.epoch !== epoch;
      if (isNew && (!isGone(known) || isSilentStart(evidence, record, first)))
        known = { state: null, isKnown: false };
      ({ epoch } = first);
      known = judgeGroup(evidence, record, group, known);
    }
  }
}

/** Whether a record was stored silently with the first look at a date, or before the baseline was whole (rule 5). */
function isSilentStart(evidence: Evidence, record: TrackedRecord, { epoch, table }: Told): boolean {
  const since = Date.parse(epoch);
  const wholeAt = evidence.history.journal.baselines.get(`${table} ${record.feed}`) ?? 0;
  if (evidence.isUncertain || since <= wholeAt + evidence.toleranceMs) return true;
  const slices = record.versions.flatMap(({ record: raw }) =>
    raw === null ? [] : [sliceOf(record.feed, raw)],
  );
  return [...new Set(slices)].some((slice) => {
    const first = evidence.walksOf(record.feed, slice).find(({ complete }) => complete);
    return first !== undefined && Math.abs(first.endedAt - since) < MINUTE_MS + evidence.toleranceMs;
  });
}

function isGone({ state, isKnown }: Known): boolean {
  return isKnown && state === null;
}

function judgeGroup(evidence: Evidence, record: TrackedRecord, group: readonly Told[], before: Known): Known {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return before;
  const about = `${record.feed} ${record.id} ${first.sequence} ${first.type}`;
  if (first.type.endsWith('.snapshot')) return judgeSnapshot(evidence, record, first);
  const known = { state: applyGroup(evidence, group, before), isKnown: true };
  judgeAfter(evidence, record, group, before);
  if (group.some(({ data }) => JSON.stringify(data.observed) !== JSON.stringify(first.data.observed)))
    evidence.violate(about, 'events of one step were seen at several times');
  if (saysGone(last.type)) judgeRemoval(evidence, record, last);
  else judgeState(evidence, record, last, known.state ?? {});
  if (saysNew(first.type)) judgeNovelty(evidence, about, record, group);
  return known;
}

/** Who was there when a slice was read first is no news; of a date that time brings in, what has happened is (rule 5). */
function judgeNovelty(
  evidence: Evidence,
  about: string,
  record: TrackedRecord,
  [first, ...more]: readonly Told[],
): void {
  if (first === undefined) return;
  const isSinceEver = (first.data.observed as State).after === null;
  if (isSinceEver ? more.length === 0 : wasThereAtFirst(evidence, record, first))
    evidence.violate(about, 'is told of one that was there before');
}

/** Whether the first look at its slice showed a record, readable or not, and it was there ever since. */
function wasThereAtFirst(evidence: Evidence, record: TrackedRecord, { data, at }: Told): boolean {
  const { settings, journal } = evidence.history;
  // A restored table goes on from looks at another one.
  if (settings.renewal !== null) return false;
  const slice = sliceOf(record.feed, { ...(data.current as State) });
  const first = evidence.walksOf(record.feed, slice).find(({ complete }) => complete);
  if (first?.faithful !== true || !first.content.has(record.id)) return false;
  // A poll that crashed or lost its lease may have stored nothing of it.
  const { report } = journal.polls[first.poll] ?? {};
  const isTaken = report != null && report.outcome !== 'skipped';
  return isTaken && !wasAway(record, slice, first.beganAt, at);
}

/** The old state was true after it was last seen, or then. */
function judgeAfter(
  evidence: Evidence,
  record: TrackedRecord,
  [first]: readonly Told[],
  { state }: Known,
): void {
  if (first === undefined || state === null || evidence.isUncertain || !evidence.isHonest) return;
  // While the list cannot be read, people are reminded of what is known.
  if (first.type === 'pay_period.due') return;
  const { from, by } = seenBetween(evidence, first);
  const text = shownTextOf(record.feed, state);
  const wasSo = versionsBetween(record, from, by).some(
    ({ raw }) => raw !== null && shownTextOf(record.feed, watchedOf(record.feed, raw)) === text,
  );
  const about = `${record.feed} ${record.id} ${first.sequence} ${first.type}`;
  if (!wasSo) evidence.violate(about, 'says that the old state was seen when it was over');
}

function judgeSnapshot(evidence: Evidence, record: TrackedRecord, { data }: Told): Known {
  const state = (data.current ?? null) as State | null;
  const text = state === null ? null : shownTextOf(record.feed, state);
  const wasSo = record.versions.some(
    ({ record: raw }) => raw !== null && shownTextOf(record.feed, watchedOf(record.feed, raw)) === text,
  );
  if (!wasSo) evidence.violate(`${record.feed} ${record.id}`, 'a snapshot shows a state that never was');
  return { state, isKnown: true };
}

/** The state after the events of one step, which all show it. They must fit the state before. */
function applyGroup(evidence: Evidence, group: readonly Told[], { state, isKnown }: Known): State | null {
  const [first] = group;
  if (first === undefined) return state;
  const about = `${first.feed} ${first.subject} ${first.sequence} ${first.type}`;
  if (saysNew(first.type) && isKnown && state !== null)
    evidence.violate(about, 'is told of one that is there');
  if (!saysNew(first.type) && isKnown && state === null)
    evidence.violate(about, 'is told of one that is gone');
  let next: State = state ?? {};
  const named = new Set<string>();
  for (const event of group) {
    judgeChanges(evidence, event, { state, named });
    if (saysGone(event.type)) return null;
    next = { ...next, ...(event.data.current as State) };
  }
  const unnamed = Object.keys(state ?? {}).filter(
    (name) => !named.has(name) && !isSame(state?.[name] ?? null, next[name] ?? null),
  );
  if (unnamed.length > 0) evidence.violate(about, `nobody says that ${unnamed} changed`);
  return next;
}

/** Each field is named once in a step, goes on from what was told, and is another one now. */
function judgeChanges(
  evidence: Evidence,
  { feed, subject, sequence, type, data }: Told,
  { state, named }: { readonly state: State | null; readonly named: Set<string> },
): void {
  const about = `${feed} ${subject} ${sequence} ${type}`;
  const current = data.current as State | null;
  for (const name of data.changed as readonly string[]) {
    const was = (data.previous as State | null)?.[name] ?? null;
    if (named.has(name)) evidence.violate(about, `says a second time that ${name} changed`);
    named.add(name);
    // By a clock that is a day ahead a clocking is missing too early, and once more in time.
    const isClear = !isDerived(name) || !evidence.isUncertain;
    if (state !== null && name in state && isClear && !isSame(state[name] ?? null, was))
      evidence.violate(about, `goes on from another ${name} than was told`);
    if (current !== null && name in current && isSame(current[name], was))
      evidence.violate(about, `says that ${name} changed`);
  }
}

/** Whether time brought it, and nothing of the record changed. */
function isMoment(type: string): boolean {
  return /^pay_period\.(?:due|recounted|settled)$/.test(type);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** When a state was seen at the earliest and the latest, in virtual time, give or take the clocks. */
function seenBetween(evidence: Evidence, { data, poll }: Told): { from: number; by: number } {
  const { after, by } = data.observed as { readonly after: string | null; readonly by: string };
  const skew = evidence.history.journal.polls[poll]?.skew ?? 0;
  const seenAt = Date.parse(by) - skew;
  return {
    from: (after === null ? 0 : Date.parse(after)) - evidence.toleranceMs,
    by: seenAt + evidence.toleranceMs,
  };
}

/** The state after a step is one that was true between its two instants of observation. */
function judgeState(evidence: Evidence, record: TrackedRecord, event: Told, state: State): void {
  const about = `${record.feed} ${record.id} ${event.sequence} ${event.type}`;
  const { from, by } = seenBetween(evidence, event);
  if (!evidence.isUncertain && Date.parse(String((event.data.observed as State).by)) !== event.time)
    evidence.violate(about, 'has another time than it was seen');
  // What time brings may find a list that cannot be read: the state is as it was told before.
  const versions =
    evidence.isUncertain || isMoment(event.type)
      ? record.versions.map(({ record: raw }) => ({ raw }))
      : versionsBetween(record, from, by);
  const text = shownTextOf(record.feed, complete(evidence, record, state));
  const wasSo = versions.some(
    ({ raw }) => raw !== null && shownTextOf(record.feed, watchedOf(record.feed, raw)) === text,
  );
  if (!wasSo) evidence.violate(about, `shows a state that was not between ${from} and ${by}`);
}

/** `details` are left out of events that do not change them: before the first one that has them nobody knows them. */
function complete(evidence: Evidence, record: TrackedRecord, state: State): Watched {
  if (record.feed !== 'timesheets' || 'details' in state) return state;
  evidence.violate(`timesheets ${record.id}`, 'its first event is not complete');
  return state;
}

function judgeRemoval(evidence: Evidence, record: TrackedRecord, event: Told): void {
  const about = `${record.feed} ${record.id} ${event.sequence} ${event.type}`;
  const answers = evidence.history.journal.gone.get(`${record.feed}/${record.id}`) ?? [];
  const by = Date.parse(String((event.data.observed as State).by));
  if (!answers.some(({ poll, clock }) => poll === event.poll && clock === by))
    evidence.violate(about, 'is told without a 404 at its time');
}
