import type { WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { createNodeTransport } from '#shared/adapters/workforce-api/http/transport.ts';
import { describeChapter } from '#shared/config/alarms.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { listPolledFeeds } from '#shared/config/schema/directory.ts';
import { computeWindow, toLocalDate } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import { loadPeriods } from '#shared/flow/stored-records.ts';
import { createConnectionClients } from '../connection-clients.ts';
import { openStore } from '../open-store.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, lookForSecret, ok, warning } from './finding.ts';

const TIME_LIMIT_MS = 60_000;
/** Events carry the time of a poll: a larger difference makes them misleading next to times of the source. */
const MAX_SKEW_MS = 30_000;

/** Checks the source of a connection: its secret, whether it answers, what the token may read, and its clock. */
export async function checkSource(connection: Connection, target: Target): Promise<Finding[]> {
  const { name, secretName } = connection;
  const about = `source of ${name}`;
  const { onlyLooks, hasSecret } = target;
  if (onlyLooks === true && hasSecret !== undefined) {
    return [await finding(about, () => lookForSecret(about, secretName, hasSecret))];
  }
  const secret = await finding(about, async () => {
    await target.readSecret(secretName)({ fresh: true });
    return ok(about, `the secret ${secretName} can be read`);
  });
  if (secret.outcome !== 'ok') return [secret];
  const deadline = target.system.now() + TIME_LIMIT_MS * target.speed;
  const api = createConnectionClients(connection, target)(deadline);
  const hello = await finding(about, async () =>
    ok(about, `${connection.baseUrl} says ${await api.helloWorld()}`),
  );
  if (hello.outcome === 'wrong') return [secret, hello];
  const today = toLocalDate(target.system.now(), connection.timeZone);
  const requests = buildRequests(api, today);
  const permissions = await Promise.all(
    listPolledFeeds(target.config).map((feed) => checkList(about, requests[feed])),
  );
  return [secret, hello, ...permissions, await checkClock(connection, about)];
}

interface SourceList {
  readonly path: string;
  readonly request: () => Promise<unknown>;
}

function buildRequests(api: WorkforceApi, today: string): Readonly<Record<FeedName, SourceList>> {
  return {
    timesheets: {
      path: '/timesheets',
      request: () => api.listTimesheets({ dateFrom: today, dateTo: today, pageSize: 1 }),
    },
    'pay-periods': { path: '/payperiods', request: () => api.listPayPeriods() },
    employees: { path: '/employees', request: () => api.listEmployees() },
    departments: { path: '/departments', request: () => api.listDepartments() },
  };
}

async function checkList(about: string, { path, request }: SourceList): Promise<Finding> {
  return await finding(about, async () => {
    await request();
    return ok(about, `GET ${path} is permitted`);
  });
}

/** Compares this clock with the `Date` header of any answer; a source without one is fine. */
async function checkClock({ baseUrl }: Connection, about: string): Promise<Finding> {
  return await finding(about, async () => {
    const startedAt = Date.now();
    const request = new Request(baseUrl, {
      method: 'HEAD',
      headers: { 'user-agent': USER_AGENT },
      signal: AbortSignal.timeout(10_000),
    });
    const { headers } = await createNodeTransport(0)(request);
    const sourceTime = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(sourceTime)) return ok(about, 'sends no Date header, so its clock cannot be compared');
    const skew = Math.round((sourceTime - (startedAt + Date.now()) / 2) / 1_000);
    if (Math.abs(skew) * 1_000 <= MAX_SKEW_MS) return ok(about, 'its clock agrees with this one');
    return warning(
      about,
      `its clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} this one`,
      `synchronise this clock, or tell the operator of the source; ${describeChapter('clock-skew')}`,
    );
  });
}

/** Checks the names of `calendars`, and that the window holds the open periods. */
export async function checkCalendars(connection: Connection, target: Target): Promise<Finding[]> {
  const about = `calendars of ${connection.name}`;
  const found: Finding[] = [];
  const failed = await finding(about, async () => {
    const periods = (await loadPeriods(connection.name, openStore(target))) ?? [];
    const known = [...new Set(periods.map(({ calendar }) => calendar))].sort();
    if (known.length === 0) return ok(about, 'no pay period was seen yet');
    found.push(...findUnknownCalendars(connection, known));
    found.push(...findUnwatched(periods, connection, target));
    return ok(about, describeCalendars(known, connection));
  });
  return [failed, ...found];
}

function describeCalendars(known: readonly string[], { calendars = [] }: Connection): string {
  const configured = calendars.filter(({ name }) => known.includes(name));
  if (configured.length === 0) return `${known.join(', ')}: none has a deadline, so nobody is reminded`;
  return configured.map(({ name, closesAt }) => `${name} closes ${closesAt}`).join(', ');
}

function findUnknownCalendars(
  { name: connection, calendars = [] }: Connection,
  known: readonly string[],
): Finding[] {
  return calendars
    .filter(({ name }) => !known.includes(name))
    .map(({ name }) =>
      warning(
        `calendar ${name} of ${connection}`,
        'the source has no pay calendar of this name, so nobody is reminded of it',
        `name one of ${known.join(', ')} in calendars`,
      ),
    );
}

/** Open periods of which the first dates have left the window: at the closing they count as they were when they did. */
function findUnwatched(
  periods: readonly KnownPeriod[],
  { name, timeZone, window }: Connection,
  { system, redirects }: Pick<Target, 'system' | 'redirects'>,
): Finding[] {
  const { from } = computeWindow(system.now(), timeZone, window);
  const setting = redirects ? '--window-back of npm start' : `window.backDays of ${name}, and deploy,`;
  return periods
    .filter(({ closed, startDate, finishDate }) => !closed && startDate < from && from <= finishDate)
    .map(({ calendar, startDate, finishDate }) =>
      warning(
        `calendar ${calendar} of ${name}`,
        `the pay period ${startDate} to ${finishDate} is open, and its dates before ${from} are read no more: its closing would count them as they were`,
        `raise ${setting} so that it reaches from the closing of a period back to its first date`,
      ),
    );
}
