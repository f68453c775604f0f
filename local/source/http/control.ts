import { OpenAPIHono, z } from '@hono/zod-openapi';
import { changeSchema } from '../company/changes.ts';
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
