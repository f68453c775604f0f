import type { ConnectionStatus, Status } from '#console/answers/status.ts';
import { isLate } from '#shared/operator/doctor/state-checks.ts';
import { nameService } from '#shared/people/reader.ts';
import type { ConsoleContext } from './context.ts';
import type { ConnectionKnowledge } from './knowledge.ts';
import { hasRunEnded, sayTrouble } from './trouble.ts';

/** Never throws: that nothing can be read is part of the status. */
export async function readStatus(context: ConsoleContext, logError: unknown = null): Promise<Status> {
  const { target, knowledge } = context;
  const { speed } = target;
  const now = target.system.now();
  const timeZone = target.connections[0]?.timeZone ?? 'UTC';
  const status = { now, speed, timeZone, isStopped: target.isStopped === true };
  try {
    const known = await knowledge.loadAll();
    const trouble = logError === null ? null : describeTrouble(logError, context);
    return { ...status, trouble, connections: known.map((each) => describeConnection(each, context, now)) };
  } catch (error) {
    return { ...status, trouble: describeTrouble(error, context), connections: [] };
  }
}

function describeTrouble(error: unknown, context: ConsoleContext): string {
  if (!hasRunEnded(error, context)) return sayTrouble(error);
  return 'The run has ended. Load this page again to see what it stored.';
}

function describeConnection(
  { connection, state, progress, serviceName }: ConnectionKnowledge,
  { target: { speed } }: ConsoleContext,
  now: number,
): ConnectionStatus {
  const hot = progress.find(({ name }) => name === 'hot dates');
  return {
    connection,
    serviceName: nameService({ serviceName }),
    seenAt: hot?.seenAt ?? null,
    isLate: hot !== undefined && isLate(hot, now, speed),
    unreachableSince: state?.unreachable?.since ?? null,
  };
}
