import { checkWatermark, type ReceivedEvent } from '#kit/watermark.ts';
import type { WorkforceEvent } from '#kit/workforce-event.ts';
import { computeWindow, type DateRange } from '#shared/core/dates.ts';
import { type Evidence, isOperation, type Told, versionsBetween } from './evidence.ts';
import { shownTextOf, sliceOf, watchedOf } from './reading.ts';

type Watermark = WorkforceEvent<'workforce.feed.complete'>;

/**
 * When a watermark arrives, everything that it counts has, and of no slice that it speaks of something is left untold that
 * had happened before (rule 19).
 */
export function judgeWatermarks(evidence: Evidence): void {
  const { journal, settings, faults } = evidence.history;
  // The kit goes by the times of events, which clocks of polls write.
  const isTimely = !faults.counts.has('skewed_clock') && !evidence.isUncertain;
  const isWhole = settings.renewal === null && journal.refused.size === 0;
  if (settings.connection.watermark && isTimely && isWhole) judgeEach(evidence);
}

function judgeEach(evidence: Evidence): void {
  const { journal } = evidence.history;
  const places = new Map(evidence.told.map((event) => [event.text, event]));
  const received = new Map<string, ReceivedEvent[]>();
  const states = new Map<string, Told>();
  const seen = new Set<string>();
  for (const { text, at } of journal.publications) {
    const event = places.get(text);
    if (event === undefined || seen.has(text)) continue;
    seen.add(text);
    const parsed = JSON.parse(text) as ReceivedEvent;
    const before = received.get(parsed.source) ?? [];
    if (event.type === 'feed.complete') {
      const checked = checkWatermark(before, parsed as Watermark);
      if (!checked.complete)
        evidence.violate(event.feed, `a watermark counts ${checked.missing} more events`);
      received.set(parsed.source, [...checked.later]);
      judgeThrough(evidence, { ...event, at }, states);
    } else if (!isOperation(event.type)) {
      before.push(parsed);
      received.set(parsed.source, before);
      states.set(`${event.feed}/${event.subject}`, event);
    }
  }
}

interface Exception {
  readonly from?: string;
  readonly to?: string;
  readonly records?: readonly string[];
}

/** Of who was told of, what is known is what was true at `through`, or later. */
function judgeThrough(evidence: Evidence, { feed, data, at }: Told, states: ReadonlyMap<string, Told>): void {
  if (data.through === null || !evidence.isHonest) return;
  const through = Date.parse(String(data.through)) - evidence.toleranceMs;
  const except = data.except as readonly Exception[];
  if (feed !== 'timesheets' && except.some(({ records }) => records === undefined)) return;
  const { timeZone, window } = evidence.history.settings.connection;
  const watched = computeWindow(at, timeZone, window);
  const isExcepted = (slice: string, id: string) =>
    except.some(({ from = '', to = '', records }) =>
      records === undefined ? from <= slice && slice <= to : records.includes(id),
    );
  for (const record of evidence.history.world.records[feed].values()) {
    const told = states.get(`${feed}/${record.id}`);
    const possible = versionsBetween(record, through, at);
    const slices = possible.flatMap(({ raw }) => (raw === null ? [] : [sliceOf(feed, raw)]));
    const known = told?.data.current as { readonly date?: string } | null | undefined;
    const where = [...slices, known?.date ?? 'all'];
    if (
      told === undefined ||
      where.some((slice) => isExcepted(slice, record.id) || !isIn(evidence, slice, watched))
    )
      continue;
    // Events leave out `details` that did not change.
    const text = known == null ? null : shownTextOf(feed, { ...known, details: null });
    const isKnown = possible.some(
      ({ raw }) =>
        (raw === null ? null : shownTextOf(feed, { ...watchedOf(feed, raw), details: null })) === text,
    );
    if (!isKnown)
      evidence.violate(`${feed} ${record.id}`, `a watermark through ${data.through} passes over its state`);
  }
}

/** Whether a date was watched all the time; those at the edges come and go. */
function isIn({ history }: Evidence, slice: string, { from: first, to: last }: DateRange): boolean {
  if (slice === 'all') return true;
  const { settings, journal } = history;
  const looks = journal.walks.filter(({ from, to }) => from !== null && from <= slice && slice <= (to ?? ''));
  const lookedAt = looks[0]?.beganAt ?? Number.POSITIVE_INFINITY;
  const isWatched = first < slice && slice < last && lookedAt < settings.startAt + 120_000;
  return settings.redeployed === null && isWatched;
}
