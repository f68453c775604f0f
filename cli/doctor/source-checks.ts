import type { WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { NamedKind } from '#shared/core/names/names.ts';
import { createConnectionClients } from '../connection-clients.ts';
import type { Target } from '../targets/target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';

const TIME_LIMIT_MS = 60_000;
/** Events say when something was seen: a clock further off than this makes them wrong for whoever compares. */
const MAX_SKEW_MS = 30_000;

/** The source of a connection: its secret, whether it answers, what the token may read, and whose clock is off. */
export async function checkSource(connection: Connection, target: Target): Promise<Finding[]> {
  const { name, secretName } = connection;
  const about = `source of ${name}`;
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
  readonly ask: () => Promise<unknown>;
}

function buildLists(named: readonly NamedKind[], api: WorkforceApi, today: string): SourceList[] {
  const ofKind: Readonly<Record<NamedKind, () => Promise<unknown>>> = {
    employees: () => api.listEmployees(),
    departments: () => api.listDepartments(),
    activities: () => api.listActivities(),
    organisations: () => api.listOrganisations(),
  };
  return [
    { path: '/timesheets', ask: () => api.listTimesheets({ dateFrom: today, dateTo: today, pageSize: 1 }) },
    { path: '/payperiods', ask: () => api.listPayPeriods() },
    ...[...new Set(named)].map((kind) => ({ path: `/${kind}`, ask: ofKind[kind] })),
  ];
}

async function checkList(about: string, { path, ask }: SourceList): Promise<Finding> {
  return await finding(about, async () => {
    try {
      await ask();
      return ok(about, `GET ${path} is permitted`);
    } catch (error) {
      if (!(error instanceof SourceError && error.code === 'source_forbidden')) throw error;
      return wrong(about, `GET ${path} is refused with 403`, 'give the token the permission to read it');
    }
  });
}

/** By the `Date` of whatever answer there is; a source without one is no fault. */
async function checkClock({ baseUrl }: Connection, about: string): Promise<Finding> {
  return await finding(about, async () => {
    const asked = Date.now();
    const { headers } = await fetch(baseUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    const said = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(said)) return ok(about, 'tells no time, so that clocks cannot be compared');
    const skew = Math.round((said - (asked + Date.now()) / 2) / 1_000);
    if (Math.abs(skew) * 1_000 <= MAX_SKEW_MS) return ok(about, 'its clock agrees with this one');
    return warning(
      about,
      `its clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} this one`,
      'synchronise this clock, or tell whoever runs the source',
    );
  });
}
