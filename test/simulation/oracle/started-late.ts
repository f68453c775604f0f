import { isDeepStrictEqual } from 'node:util';
import { type Folded, fold } from '#kit/fold.ts';
import type { RecordEvent } from '#kit/workforce-event.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { perFeed } from '../world/truth.ts';
import type { Evidence } from './evidence.ts';
import type { FirstLooks } from './first-looks.ts';
import { wrongState } from './folded-states.ts';
import { mayHaveReturned } from './forgotten.ts';
import { canonicalStamp, type Watched } from './reading.ts';

/**
 * What a subscriber keeps that started in the middle with a snapshot, and got the events since in the worst of orders, is
 * how the records are when all is quiet.
 */
export function judgeLateStart(evidence: Evidence, looks: FirstLooks): void {
  const { journal } = evidence.history;
  if (journal.snapshot === null) return;
  const { place, texts } = journal.snapshot;
  judgeSnapshots(evidence, texts);
  const told = journal.toldSince(place).map(({ text }) => text);
  const kept = foldRecords(evidence, [...told.reverse(), ...texts]);
  const before = foldRecords(
    evidence,
    journal.reportedBefore(place).map(({ text }) => text),
  );
  const records = FEED_NAMES.flatMap((feed) =>
    [...kept[feed]].map(([id, record]) => ({ feed, id, ...record })),
  );
  for (const { feed, id, state, at } of records) {
    if (!evidence.history.world.truth[feed].has(id)) continue;
    // A snapshot leaves out who was removed before it: an older event that is repeated after it then stands alone.
    if (isRepeatOfRemoved(state, before[feed].get(id)?.state)) continue;
    if (state.removed && mayHaveReturned(evidence, looks, { feed, id, removedAt: at })) continue;
    const wrong = wrongState(evidence, { feed, id }, state);
    if (wrong !== null)
      evidence.violate(`${feed} ${id}`, `lost: who starts with a snapshot ${wrong}`, 'lost');
  }
}

/** Snapshots say what the event before them said, field by field: they never tell news. */
function judgeSnapshots(evidence: Evidence, texts: readonly string[]): void {
  const told = new Map(
    evidence.history.journal.committed.map(({ text }) => {
      const event = evidence.read<RecordEvent>(text);
      return [nameOf(event), event] as const;
    }),
  );
  for (const snapshot of texts.map((text) => JSON.parse(text) as RecordEvent)) {
    const { source, subject, sequence, data } = snapshot;
    const last = told.get(nameOf(snapshot));
    const before = (last?.data.current ?? {}) as Watched;
    const [name] =
      Object.entries(data.current ?? {}).find(
        ([field, value]) =>
          Object.hasOwn(before, field) &&
          !isDeepStrictEqual(canonicalStamp(before[field]), canonicalStamp(value)),
      ) ?? [];
    const about = `${source.split('/').at(-1)} ${subject}`;
    // At 0 it is a part of the baseline, or was taken over silently.
    if (last === undefined && sequence > 0)
      evidence.violate(about, `a snapshot is at ${sequence}, which was never told`);
    if (name !== undefined)
      evidence.violate(about, `a snapshot at ${sequence} has another ${name} than was told`);
  }
}

function nameOf({ source, subject, epoch, sequence }: RecordEvent): string {
  return `${source} ${subject} ${epoch} ${sequence}`;
}

function isRepeatOfRemoved(state: Folded, before: Folded | undefined): boolean {
  return before?.removed === true && comparePositions(state, before) < 0;
}

/** `at`: the time of the latest event. */
interface KeptRecord {
  readonly state: Folded;
  readonly at: number;
}

function foldRecords(
  evidence: Evidence,
  texts: readonly string[],
): Readonly<Record<FeedName, ReadonlyMap<string, KeptRecord>>> {
  const kept = perFeed(() => new Map<string, KeptRecord>());
  for (const text of texts) {
    const event = evidence.read<RecordEvent>(text);
    const { source, type, subject = '' } = event;
    const feed = FEED_NAMES.find((name) => source.endsWith(`/${name}`));
    if (feed === undefined || !/\.(?:timesheet|pay_period|employee|department)\./.test(type)) continue;
    const known = kept[feed].get(subject);
    const at = Math.max(Date.parse(event.time), known?.at ?? Number.NEGATIVE_INFINITY);
    kept[feed].set(subject, { state: fold(known?.state ?? null, event).state, at });
  }
  return kept;
}
