import type { Target } from '../targets/target.ts';
import { checkAlarms } from './alarm-checks.ts';
import { checkCalendars } from './calendar-checks.ts';
import { checkDeliveries } from './delivery-checks.ts';
import { type Finding, ok } from './finding.ts';
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
  return [found, ...(await Promise.all(checks)).flat()];
}

/** Removes what the source said, which may name people: for output that may be kept. */
export function omitSourceText({ said: _, ...finding }: Finding): Finding {
  return finding;
}
