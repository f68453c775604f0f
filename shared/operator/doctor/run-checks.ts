import { findUnheardFollowUps } from '#shared/config/schema/unheard-follow-ups.ts';
import type { Target } from '../target.ts';
import { checkAlarms } from './alarm-checks.ts';
import { checkCalendars } from './calendar-checks.ts';
import { checkDeliveries } from './delivery-checks.ts';
import { type Finding, ok, warning } from './finding.ts';
import { checkSource } from './source-checks.ts';
import { checkFeeds, checkQueues } from './state-checks.ts';
import { checkTopics } from './topic-checks.ts';

/** Every check of a target, in the order in which the findings are shown. */
export async function runChecks(target: Target): Promise<Finding[]> {
  const found = ok('config', `is valid; ${target.title} has ${target.parts.size} parts`);
  const checks = [
    ...target.connections.map((connection) => checkSource(connection, target)),
    checkFeeds(target),
    ...target.connections.map((connection) => checkCalendars(connection, target)),
    checkTopics(target),
    checkAlarms(target),
    checkQueues(target),
    checkDeliveries(target),
  ];
  return [found, ...checkFilters(target), ...(await Promise.all(checks)).flat()];
}

/** Checks that no receiver hears of approvals alone. */
export function checkFilters({ config }: Pick<Target, 'config'>): Finding[] {
  return findUnheardFollowUps(config).map(({ path, says, mend }) =>
    warning(path, says, `${mend}, and deploy; see docs/paying.md`),
  );
}

/** Removes what the source said, which may name people: for output that may be kept. */
export function omitSourceText({ said: _, ...finding }: Finding): Finding {
  return finding;
}
