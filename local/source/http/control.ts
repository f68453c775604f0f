import { OpenAPIHono, z } from '@hono/zod-openapi';
import { addDays } from '#shared/core/dates.ts';
import { type CompanyChange, changeSchema } from '../company/changes.ts';
import { SCENES } from '../scenes.ts';
import type { PayPeriod, Timesheet } from '../schemas.ts';
import { applyManualChange, catchUp, moveClock, type Service } from '../service.ts';
import { faultSchema } from './faults.ts';
import { requireOwner, type SourceEnvironment } from './guards.ts';
import { createProblem } from './problems.ts';
import { limitSchema } from './rate-limit.ts';

const MINUTE_MS = 60_000;
const MAX_MOVE_MINUTES = 366 * 1440;

const faultsSchema = z.union([faultSchema, z.array(faultSchema)]);
const clockSchema = z.strictObject({ advanceMinutes: z.number().min(0).max(MAX_MOVE_MINUTES) });

/** Routes for tests and people to make changes and faults, with the token of the start, even when it is revoked. */
export function createControl(service: Service): OpenAPIHono<SourceEnvironment> {
  const control = new OpenAPIHono<SourceEnvironment>();
  control.use('*', requireOwner(service));
  addFaultsAndLimit(control, service);
  control.post('/changes', async (context) => {
    const change = await readBody(context.req.raw, changeSchema);
    const outcome = applyManualChange(service, change);
    if (outcome.outcome === 'unknown') throw createProblem(404, `nothing has the id ${outcome.id}`);
    if (outcome.outcome === 'refused') throw createProblem(409, outcome.reason);
    return context.json({ change: change.change, at: formatNow(service), record: outcome.record });
  });
  control.post('/stage', async (context) => {
    const outcome = stage(service, await readBody(context.req.raw, stageSchema));
    if (outcome.outcome === 'refused') throw createProblem(409, outcome.reason);
    return context.json({ says: outcome.says, records: outcome.records, at: formatNow(service) });
  });
  control.get('/clock', (context) => context.json(readClock(service)));
  control.post('/clock', async (context) => {
    const { advanceMinutes } = await readBody(context.req.raw, clockSchema);
    moveClock(service, advanceMinutes * MINUTE_MS);
    return context.json(readClock(service));
  });
  control.get('/requests', (context) => context.json([...service.log.list()]));
  control.delete('/requests', (context) => {
    service.log.clear();
    return context.body(null, 204);
  });
  control.get('/state', (context) => context.json(describeState(service)));
  return control;
}

function addFaultsAndLimit(control: OpenAPIHono<SourceEnvironment>, service: Service): void {
  control.get('/faults', (context) => context.json([...service.faults.list()]));
  control.post('/faults', async (context) => {
    const faults = await readBody(context.req.raw, faultsSchema);
    service.faults.add(Array.isArray(faults) ? faults : [faults]);
    return context.json([...service.faults.list()]);
  });
  control.delete('/faults', (context) => {
    service.faults.clear();
    return context.body(null, 204);
  });
  control.post('/limit', async (context) => {
    const limit = await readBody(context.req.raw, limitSchema);
    service.limit.set(limit);
    return context.json(limit);
  });
  control.delete('/limit', (context) => {
    service.limit.set(null);
    return context.body(null, 204);
  });
}

function readClock(service: Service): { now: string; speed: number } {
  catchUp(service);
  return { now: formatNow(service), speed: service.speed };
}

/** Counts of the current state; `changes` since `startsAt`. */
function describeState(service: Service) {
  catchUp(service);
  const { company } = service;
  const timesheets = company.timesheets();
  const count = (suits: (timesheet: (typeof timesheets)[number]) => boolean): number =>
    timesheets.filter(suits).length;
  const periods = company.payPeriods();
  return {
    ...readClock(service),
    timeZone: company.settings.timeZone,
    seed: company.settings.seed,
    startsAt: new Date(company.settings.startsAt).toISOString(),
    counts: {
      employees: company.staff.length,
      departments: company.premises.workplaces.length,
      organisations: company.premises.organisations.length,
      payPeriods: periods.length,
      openPayPeriods: periods.filter(({ closed }) => closed === null).length,
      timesheets: timesheets.length,
      clockedIn: count(({ clockIn }) => clockIn !== null),
      clockedOut: count(({ clockOut }) => clockOut !== null),
      approved: count(({ approvedHours }) => approvedHours !== null),
      payrollApproved: count(({ approvedPayroll }) => approvedPayroll !== null),
      processed: count(({ processed }) => processed !== null),
    },
    changes: company.countChanges(company.settings.startsAt),
  };
}

function formatNow({ company }: Service): string {
  return new Date(company.now()).toISOString();
}

/** The parsed body of a request. Ends the request with 400 when it is invalid. */
async function readBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const text = await request.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw createProblem(400, `the body is not JSON: ${cause instanceof Error ? cause.message : ''}`);
  }
  const checked = schema.safeParse(value);
  if (!checked.success) throw createProblem(400, z.prettifyError(checked.error));
  return checked.data;
}

/** Dates that a notifier with the default window for the sample company surely watches. */
const WATCHED_DAYS = 13;
/** Fewer approvals than this are not many at once. */
const MIN_BULK = 10;
const MORE_HOURS = 1;

const stageSchema = z.strictObject({
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
function stage(service: Service, { scene, minutes }: StageRequest): StageOutcome {
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
