import { z } from '@hono/zod-openapi';
import { addDays } from '#shared/core/dates.ts';
import type { CompanyChange } from './company/changes.ts';
import { SCENES } from './scenes.ts';
import type { PayPeriod, Timesheet } from './schemas.ts';
import { applyManualChange, catchUp, type Service } from './service.ts';

const MINUTE_MS = 60_000;
/** Dates that a notifier with the default window for the sample company surely watches. */
const WATCHED_DAYS = 13;
/** Fewer approvals than this are not many at once. */
const MIN_BULK = 10;
const MORE_HOURS = 1;

export const stageSchema = z.strictObject({
  scene: z.enum(SCENES),
  /** How long an outage lasts, in simulated minutes. */
  minutes: z.number().min(1).max(1440).default(15),
});
type StageRequest = z.output<typeof stageSchema>;

/** `done` says what happened, in words; `records` are those that changed. */
type StageOutcome =
  | { readonly outcome: 'done'; readonly says: string; readonly records: readonly string[] }
  | { readonly outcome: 'refused'; readonly reason: string };

/** Makes the company do something now; its changes are in the journal like those by hand. */
export function stage(service: Service, { scene, minutes }: StageRequest): StageOutcome {
  catchUp(service);
  switch (scene) {
    case 'late-change':
      return changeLate(service);
    case 'reopen':
      return reopenPeriod(service);
    case 'bulk-approve':
      return approveMany(service);
    case 'source-outage':
      return beginOutage(service, minutes);
  }
}

/** A timesheet of the last closed period gets an hour more, preferably one that is processed. */
function changeLate(service: Service): StageOutcome {
  const period = findLastClosed(service);
  if (period === undefined) return refuse('no pay period is closed yet; the next pay run closes one');
  const suitable = service.company.members(period).filter(({ includesLeave }) => !includesLeave);
  const newestFirst = suitable.toSorted((a, b) => (a.date < b.date ? 1 : -1));
  const chosen = newestFirst.find(({ processed }) => processed !== null) ?? newestFirst[0];
  if (chosen === undefined) return refuse(`pay period ${period.id} has no timesheets`);
  const { id, hoursToPay, date } = chosen;
  const hours = hoursToPay + MORE_HOURS;
  return apply(
    service,
    [{ change: 'change', id, hours }],
    `timesheet ${id} of ${date}, ${hoursToPay} to ${hours} h, after pay period ${describe(period)} was closed`,
  );
}

function reopenPeriod(service: Service): StageOutcome {
  const period = findLastClosed(service);
  if (period === undefined) return refuse('no pay period is closed; the next pay run closes one');
  return apply(
    service,
    [{ change: 'reopen-pay-period', id: period.id }],
    `pay period ${describe(period)} reopened`,
  );
}

/** Approves what is finished; if that is little, also what is planned for today and tomorrow. */
function approveMany(service: Service): StageOutcome {
  const { company } = service;
  const today = company.today();
  const from = addDays(today, -WATCHED_DAYS);
  const open = company
    .timesheets({ from, to: addDays(today, 1) })
    .filter(({ approvedHours }) => approvedHours === null);
  const now = new Date(company.now()).toISOString();
  const finished = open.filter((timesheet) => isFinished(timesheet, now));
  const chosen = finished.length >= MIN_BULK ? finished : open;
  if (chosen.length === 0) return refuse('every timesheet up to tomorrow is approved; try again tomorrow');
  return apply(
    service,
    chosen.map(({ id }) => ({ change: 'approve', id })),
    `${chosen.length} timesheets approved at once`,
  );
}

function beginOutage(service: Service, minutes: number): StageOutcome {
  const until = service.company.now() + minutes * MINUTE_MS;
  service.outage.until = until;
  const end = new Date(until).toISOString();
  return { outcome: 'done', says: `the source answers 503 until ${end}, for ${minutes} min`, records: [] };
}

function apply(service: Service, changes: readonly CompanyChange[], says: string): StageOutcome {
  const outcomes = changes.map((change) => applyManualChange(service, change));
  const records = outcomes.flatMap((each) =>
    each.outcome === 'done' && each.record !== null ? [each.record.id] : [],
  );
  const refused = outcomes.find((each) => each.outcome === 'refused');
  // Somebody in the company may have approved one of many meanwhile.
  if (records.length === 0 && refused !== undefined) return refuse(refused.reason);
  return { outcome: 'done', says, records };
}

function findLastClosed({ company }: Service): PayPeriod | undefined {
  const closed = company.payPeriods().filter((period) => period.closed !== null);
  return closed.toSorted((a, b) => (a.finishDate < b.finishDate ? 1 : -1))[0];
}

function isFinished({ finishTime, clockIn, includesLeave }: Timesheet, now: string): boolean {
  return finishTime < now && (clockIn !== null || includesLeave);
}

function describe({ id, calendar, startDate, finishDate }: PayPeriod): string {
  return `${id} (${calendar}, ${startDate} to ${finishDate})`;
}

function refuse(reason: string): StageOutcome {
  return { outcome: 'refused', reason };
}
