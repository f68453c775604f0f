import type { KnotFeature } from '../knots/features.ts';
import type { Knot } from '../knots/knot.ts';
import { isUnset } from './timesheet-steps.ts';
import type { TrackedRecord } from './truth.ts';

/** Something that happens at an instant. */
export interface Plan {
  readonly at: number;
  readonly happens: () => unknown;
}

/** What a world can do for a knot. */
interface Acts {
  /** An instant near the knot. */
  readonly soon: () => number;
  readonly findOpen: (at: number) => TrackedRecord | null;
  readonly setClosed: (record: TrackedRecord, isClosed: boolean, at: number) => void;
  readonly move: (at: number) => void;
  readonly changeCalendar: (at: number) => void;
}

/** What happens in the world where several features meet. A period that is opened again was closed before. */
export function planMeetings({ features }: Knot, before: number, acts: Acts): Plan[] {
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
  return meetings
    .filter(([name]) => features.has(name))
    .map(([, happens]) => {
      const at = acts.soon();
      return { at, happens: () => happens(at) };
    });
}

/** Open periods that are over; where there are none, one that is open. */
export function openPeriods(periods: Iterable<TrackedRecord>, today: string): TrackedRecord[] {
  const open = [...periods].filter(({ latest }) => latest !== null && isUnset(latest.closed));
  const over = open.filter(({ latest }) => String(latest?.finishDate) <= today);
  return over.length > 0 ? over : open.slice(0, 1);
}
