import { createHash } from 'node:crypto';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Evidence, Told } from './evidence.ts';
import { about, type Watermark } from './told-watermark.ts';

/** Clocks of polls differ by less. */
const CLOCK_SKEW_MS = 10_000;
const DAY_MS = 86_400_000;
/** Events that are named one by one. */
const MAX_LISTED = 1_000;

/** What a row of watermarks has counted since it began. */
interface Row {
  readonly beganAt: number;
  readonly counted: Set<string>;
}

/** Each watermark follows the one before, and counts what was committed since, each event once. */
export function judgeCounts(evidence: Evidence, feed: FeedName, watermarks: readonly Watermark[]): void {
  const events = new Map(
    [...ofFeed(evidence, feed), ...evidence.told[feed].values()].flat().map((told) => [told.id, told]),
  );
  let row: Row | null = null;
  let before: Watermark | null = null;
  for (const watermark of watermarks) {
    if (watermark.since === null || row === null || before === null) {
      judgeBeginning(evidence, watermark, before);
      row = { beganAt: evidence.committedAt(watermark.told), counted: new Set() };
    } else {
      if (watermark.since.id !== before.told.id) evidence.violate(about(watermark), 'follows another one');
      judgeCounted(evidence, watermark, row, events);
      judgeLeftOut(evidence, { watermark, until: evidence.committedAt(before.told) }, row, events);
      // Of very many events it has digests alone: which they are, nobody can tell.
      const { counted }: Row = row;
      if (!isListed(watermark)) row = { counted, beganAt: evidence.committedAt(watermark.told) };
    }
    before = watermark;
  }
}

function judgeBeginning(evidence: Evidence, watermark: Watermark, before: Watermark | null): void {
  const isDue = before === null || watermark.told.by - before.told.by >= DAY_MS - CLOCK_SKEW_MS;
  if (!isDue || watermark.since !== null) evidence.violate(about(watermark), 'begins anew without a reason');
  if (watermark.events !== null) evidence.violate(about(watermark), 'counts since never');
}

type Events = ReadonlyMap<string, Told>;

/** What it counts was not counted before, and subscribers have it unless it could not be published. */
function judgeCounted(evidence: Evidence, watermark: Watermark, { counted }: Row, events: Events): void {
  const { lost } = evidence.history.journal;
  const ids = listIds(evidence, watermark);
  judgeTallies(evidence, watermark, ids, events);
  for (const id of ids) {
    if (counted.has(id)) evidence.violate(about(watermark), `counts ${id} again`);
    counted.add(id);
    const told = events.get(id);
    const isThere =
      told === undefined ? lost.some(({ text }) => text.includes(id)) : told.at <= watermark.told.at;
    if (!isThere) evidence.violate(about(watermark), `counts ${id}, which nobody has got`);
  }
}

/** What was committed before the watermark before is counted by now. */
function judgeLeftOut(
  evidence: Evidence,
  { watermark, until }: { readonly watermark: Watermark; readonly until: number },
  { counted, beganAt }: Row,
  events: Events,
): void {
  if (!isListed(watermark)) return;
  for (const [id, told] of events) {
    const at = evidence.committedAt(told);
    if (at > beganAt && at <= until && !counted.has(id))
      evidence.violate(about(watermark), `leaves out ${told.type} ${id}`);
  }
}

function ofFeed({ absences, statements }: Evidence, feed: FeedName): Told[][] {
  return feed === 'timesheets' ? [...absences.values()] : [...statements.values()];
}

function isListed({ events }: Watermark): boolean {
  return (events?.count ?? 0) <= MAX_LISTED;
}

function listIds(evidence: Evidence, watermark: Watermark): string[] {
  const types = watermark.events?.types ?? [];
  if (isListed(watermark) && types.some(({ ids }) => ids === undefined))
    evidence.violate(about(watermark), 'names no ids of a few events');
  return types.flatMap(({ ids }) => ids ?? []);
}

function judgeTallies(
  evidence: Evidence,
  watermark: Watermark,
  ids: readonly string[],
  events: Events,
): void {
  const { events: tally } = watermark;
  if (tally === null || !isListed(watermark)) return;
  const known = ids.flatMap((id) => events.get(id) ?? []);
  if (tally.count !== ids.length)
    evidence.violate(about(watermark), `counts ${tally.count} of ${ids.length}`);
  if (known.length === ids.length && tally.digest !== digestOf(known))
    evidence.violate(about(watermark), 'its digest is another one');
  for (const { eventType: type, count, ids: own = [] } of tally.types) {
    const alike = known.filter((told) => `workforce.${told.type}` === type);
    if (count !== own.length || (known.length === ids.length && alike.length !== count))
      evidence.violate(about(watermark), `counts ${count} ${type}`);
  }
}

function digestOf(events: readonly Told[]): string {
  const lines = events.map(({ id, epoch, sequence }) => `${id} ${epoch} ${sequence}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
