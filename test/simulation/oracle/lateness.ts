import { type Evidence, type Told, versionsBetween } from './evidence.ts';

/** A stamp in whole seconds may be any moment of its second. */
const SECOND_MS = 1_000;

/**
 * What is told as late by a closing came after it, and what certainly came after a closing that was told is told as late.
 * A change in the same second as the closing is neither for certain.
 */
export function judgeLateness(evidence: Evidence): void {
  if (evidence.isUncertain || evidence.history.settings.renewal !== null) return;
  for (const event of evidence.told)
    if (event.type.startsWith('timesheet.') && !event.type.endsWith('.snapshot')) judgeEvent(evidence, event);
}

interface ClosedPeriod {
  readonly id: string;
  readonly certain?: false;
}

function judgeEvent(evidence: Evidence, event: Told): void {
  const closed = (event.data.closedPeriods ?? []) as readonly ClosedPeriod[];
  const isLate = (event.data.late as readonly string[]).includes('close');
  const about = `${event.subject} ${event.sequence} ${event.type}`;
  const changed = changedBetween(evidence, event);
  for (const { id, certain } of closed) {
    const closings = listClosings(evidence, id, changed.to);
    if (closings.length === 0) evidence.violate(about, `is late by ${id}, which had not closed`);
    else if (certain !== false && closings.every((at) => changed.to < at - SECOND_MS))
      evidence.violate(about, `came before ${id} closed, and is told as certainly late`);
  }
  const missed = isLate ? undefined : findTold(evidence, event, changed.from);
  if (missed !== undefined) evidence.violate(about, `came after ${missed} closed, and is not late`);
}

/** Between which instants what an event tells can have happened. */
function changedBetween(evidence: Evidence, { data, poll }: Told): { from: number; to: number } {
  const { after, by } = data.observed as { readonly after: string | null; readonly by: string };
  const skew = evidence.history.journal.polls[poll]?.skew ?? 0;
  return {
    from: (after === null ? 0 : Date.parse(after)) - evidence.toleranceMs,
    to: Date.parse(by) - skew + evidence.toleranceMs,
  };
}

function listClosings({ history }: Evidence, id: string, until: number): number[] {
  const versions = history.world.truth['pay-periods'].get(id)?.versions ?? [];
  return versions.filter(({ at, record }) => record?.closed != null && at <= until).map(({ at }) => at);
}

/** A period of the timesheet, before and after, that was told as closed before the change, and stays so. */
function findTold(evidence: Evidence, event: Told, from: number): string | undefined {
  const { books, truth } = evidence.history.world;
  const record = truth.timesheets.get(event.subject ?? '');
  // Of several steps at once, the first are those of the record as it was before, wherever that was.
  if (!books.hasOneCalendar || record === undefined || event.data.collapsed === true) return undefined;
  const dates = versionsBetween(record, from, event.at).flatMap(({ raw }) =>
    raw === null ? [] : [String(raw.date)],
  );
  const tolds = evidence.told.filter(({ type, at }) => type === 'pay_period.closed' && at < from);
  const periods = [...truth['pay-periods'].values()].filter((period) => {
    const versions = versionsBetween(
      period,
      tolds.find(({ subject }) => subject === period.id)?.at ?? 0,
      event.at,
    );
    const isClosed = versions.every(({ raw }) => raw !== null && raw.closed !== null);
    return (
      isClosed &&
      versions.every(
        ({ raw }) =>
          dates.length > 0 &&
          dates.every((date) => String(raw?.startDate) <= date && date <= String(raw?.finishDate)),
      )
    );
  });
  // Several periods on a date are of several calendars: nobody knows of which.
  const onDates = [...truth['pay-periods'].values()].filter(({ versions }) =>
    versions.some(
      ({ record: raw }) =>
        raw !== null && dates.some((date) => String(raw.startDate) <= date && date <= String(raw.finishDate)),
    ),
  );
  const [period] = periods;
  const isTold = tolds.some(({ subject }) => subject === period?.id);
  const isStamped =
    ['approved', 'processed'].some((name) => event.type.endsWith(name)) || event.type.includes('clock');
  return onDates.length === 1 && isTold && !isStamped ? period?.id : undefined;
}
