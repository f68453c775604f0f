import type { WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { describeChapter } from '#shared/config/alarms.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { NamedKind } from '#shared/names/names.ts';
import { createConnectionClients } from '../connection-clients.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, lookForSecret, ok, warning, wrong } from './finding.ts';

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
  const lists = buildLists(
    target.config.alerts.channels.flatMap(({ names }) => names),
    api,
    today,
  );
  const permissions = await Promise.all(lists.map((list) => checkList(about, list)));
  return [secret, hello, ...permissions, await checkClock(connection, about)];
}

interface SourceList {
  readonly path: string;
  readonly request: () => Promise<unknown>;
}

function buildLists(named: readonly NamedKind[], api: WorkforceApi, today: string): SourceList[] {
  const ofKind: Readonly<Record<NamedKind, () => Promise<unknown>>> = {
    employees: () => api.listEmployees(),
    departments: () => api.listDepartments(),
    activities: () => api.listActivities(),
    organisations: () => api.listOrganisations(),
  };
  return [
    {
      path: '/timesheets',
      request: () => api.listTimesheets({ dateFrom: today, dateTo: today, pageSize: 1 }),
    },
    { path: '/payperiods', request: () => api.listPayPeriods() },
    ...[...new Set(named)].map((kind) => ({ path: `/${kind}`, request: ofKind[kind] })),
  ];
}

async function checkList(about: string, { path, request }: SourceList): Promise<Finding> {
  return await finding(about, async () => {
    try {
      await request();
      return ok(about, `GET ${path} is permitted`);
    } catch (error) {
      if (!(error instanceof SourceError && error.code === 'source_forbidden')) throw error;
      return wrong(about, `GET ${path} is refused with 403`, 'give the token the permission to read it');
    }
  });
}

/** Compares this clock with the `Date` header of any answer; a source without one is fine. */
async function checkClock({ baseUrl }: Connection, about: string): Promise<Finding> {
  return await finding(about, async () => {
    const startedAt = Date.now();
    const { headers } = await fetch(baseUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
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
