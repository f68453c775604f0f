import type { Overview, Status } from '#console/routes/overview.ts';
import { toIso } from '#shared/core/dates.ts';
import { PUBLISHED_TYPES, toShortType } from '#shared/core/event-types.ts';
import { PAY_FEEDS } from '#shared/core/feeds.ts';
import { DEFAULT_SERVICE_NAME } from '#shared/people/reader.ts';
import type { ConsoleContext } from './context.ts';
import type { ConnectionKnowledge } from './knowledge.ts';

export async function readOverview(context: ConsoleContext, trouble: string | null): Promise<Overview> {
  const { target, knowledge, allowsWrites } = context;
  const known = await knowledge.loadAll().catch(() => []);
  return {
    title: target.title,
    serviceName: target.config.people.serviceName ?? DEFAULT_SERVICE_NAME,
    stackName: target.config.stackName,
    place: target.redirects ? 'machine' : 'aws',
    isStopped: target.isStopped === true,
    allowsWrites,
    connections: target.connections.map(({ name, timeZone }) => ({ name, timeZone })),
    departments: listDepartments(known),
    calendars: listCalendars(known),
    types: PUBLISHED_TYPES.map(toShortType),
    status: await readStatus(context, trouble),
  };
}

/** Never throws: that the table cannot be read is part of the status. */
export async function readStatus(
  { target, knowledge }: ConsoleContext,
  trouble: string | null,
): Promise<Status> {
  const { now, speed } = { now: target.system.now(), speed: target.speed };
  try {
    const known = await knowledge.loadAll();
    return { now, speed, trouble, feeds: known.flatMap(listFeeds) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { now, speed, trouble: trouble ?? reason, feeds: [] };
  }
}

/** What is looked at most often says how things stand: hot dates, and the list of pay periods. */
function listFeeds({ connection, state, progress }: ConnectionKnowledge): Status['feeds'] {
  const since = state?.unreachable?.since ?? null;
  return PAY_FEEDS.map((feed) => {
    const seenAt = progress.find(({ name }) => name === SHOWN_PROGRESS[feed])?.seenAt ?? null;
    return {
      connection,
      feed,
      completedAt: seenAt === null ? null : toIso(seenAt),
      unreachableSince: since === null ? null : toIso(since),
    };
  });
}

const SHOWN_PROGRESS = { timesheets: 'hot dates', 'pay-periods': 'pay-periods' } as const;

function listDepartments(known: readonly ConnectionKnowledge[]): Overview['departments'] {
  const names = new Map(known.flatMap((each) => [...each.names.departments]));
  return [...names]
    .map(([id, name]) => ({ id, name }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.id.localeCompare(b.id, 'en'));
}

function listCalendars(known: readonly ConnectionKnowledge[]): string[] {
  const names = known.flatMap(({ payPeriods }) => payPeriods.flatMap(({ calendar }) => calendar ?? []));
  return [...new Set(names)].sort();
}
