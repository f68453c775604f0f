import type { KnotFeature } from '../knots/features.ts';
import type { Knot } from '../knots/knot.ts';
import { Random } from '../random.ts';
import { isUnset } from './timesheet-steps.ts';
import type { RawRecord, TrackedRecord } from './truth.ts';

/** Something that happens at an instant. */
export interface Plan {
  readonly at: number;
  readonly happens: () => unknown;
}

/** What a world can do for a knot. */
interface Acts {
  /** The date that loses facts, and when; `closesAt`: early in the history. */
  readonly held: { readonly date: string; readonly at: number; readonly closesAt: number } | null;
  readonly periods: ReadonlyMap<string, TrackedRecord>;
  /** An instant near the knot. */
  readonly soon: () => number;
  readonly findOpen: (at: number) => TrackedRecord | null;
  readonly setClosed: (record: TrackedRecord, isClosed: boolean, at: number) => void;
  readonly move: (at: number) => void;
  readonly changeCalendar: (at: number) => void;
}

/** What happens in the world where several features meet. A period that is opened again was closed before. */
export function planMeetings(knot: Knot, before: number, acts: Acts): Plan[] {
  const { features } = knot;
  const reopened = features.has('reopen') ? acts.findOpen(before) : null;
  if (reopened !== null) acts.setClosed(reopened, true, before);
  const close = (at: number) => {
    const open = acts.findOpen(at);
    if (open !== null) acts.setClosed(open, true, at);
  };
  const meetings: readonly (readonly [KnotFeature, (at: number) => void])[] = [
    ['closing', close],
    ['reopen', (at) => reopened !== null && acts.setClosed(reopened, false, at)],
    ['move', acts.move],
    ['change of calendar', acts.changeCalendar],
  ];
  return [...planDeadline(knot, acts), ...planEach(meetings, knot, acts)];
}

function planEach(
  meetings: readonly (readonly [KnotFeature, (at: number) => void])[],
  { features }: Knot,
  acts: Acts,
): Plan[] {
  return meetings
    .filter(([name]) => features.has(name))
    .map(([, happens]) => {
      const at = acts.soon();
      return { at, happens: () => happens(at) };
    });
}

/** In half of the histories with a hold and a closing. */
const DEADLINE_SHARE = 0.5;

/**
 * The period of the date that loses facts closes early, and the next one of its calendar when they are lost: the deadline
 * for what is left of the first falls into the hold.
 */
function planDeadline({ features, at: knotAt }: Knot, { held, periods, setClosed }: Acts): Plan[] {
  if (held === null || !features.has('hold') || !features.has('closing')) return [];
  if (!Random.of(knotAt, 'deadline').chance(DEADLINE_SHARE)) return [];
  const all = [...periods.values()];
  const own = all.find(({ latest }) => latest !== null && isOn(held.date, latest));
  const next = all.find(
    ({ latest }) =>
      latest?.calendar === own?.latest?.calendar &&
      String(latest?.startDate) > String(own?.latest?.finishDate),
  );
  if (own === undefined || next === undefined) return [];
  return [
    { at: held.closesAt, happens: () => setClosed(own, true, held.closesAt) },
    { at: held.at, happens: () => setClosed(next, true, held.at) },
  ];
}

function isOn(date: string, { startDate, finishDate }: RawRecord): boolean {
  return String(startDate) <= date && date <= String(finishDate);
}

/** Open periods that are over; where there are none, one that is open. */
export function openPeriods(periods: Iterable<TrackedRecord>, today: string): TrackedRecord[] {
  const open = [...periods].filter(({ latest }) => latest !== null && isUnset(latest.closed));
  const over = open.filter(({ latest }) => String(latest?.finishDate) <= today);
  return over.length > 0 ? over : open.slice(0, 1);
}
