import { describeChapter } from '#shared/config/alarms.ts';
import { findUnheardFollowUps } from '#shared/config/schema/unheard-follow-ups.ts';
import type { Target } from '../target.ts';
import { checkDelays } from './delay-check.ts';
import {
  CONFIRM,
  checkDeliveries,
  checkTopics,
  isConfirmed,
  listSubscriptions,
  RESUBSCRIBE,
  readMailStates,
} from './delivery-checks.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';
import { checkQueues } from './queue-checks.ts';
import { checkCalendars, checkSource } from './source-checks.ts';
import { checkConnections } from './state-checks.ts';

/** Every check of a target, in the order in which the findings are shown. */
export async function runChecks(target: Target): Promise<Finding[]> {
  const found = ok('config', `is valid; ${target.title} has ${target.parts.size} parts`);
  const checks = [
    ...target.connections.map((connection) => checkSource(connection, target)),
    checkConnections(target),
    checkDelays(target),
    ...target.connections.map((connection) => checkCalendars(connection, target)),
    checkTopics(target),
    checkAlarms(target),
    checkQueues(target),
    checkDeliveries(target),
  ];
  const ofConfig = [...checkFilters(target), ...checkLinks(target)];
  return [found, ...ofConfig, ...sayStoppedOnce((await Promise.all(checks)).flat())];
}

/** One finding in place of all that a running machine alone could be asked. */
function sayStoppedOnce(findings: readonly Finding[]): Finding[] {
  const unchecked = findings.filter(({ needsRun }) => needsRun === true);
  const { mend } = unchecked[0] ?? {};
  if (mend === undefined) return [...findings];
  const names = unchecked.map(({ about }) => about).join(', ');
  const stopped = warning('npm start', `is stopped, so this is not checked: ${names}`, mend);
  return [stopped, ...findings.filter(({ needsRun }) => needsRun !== true)];
}

/** Checks that no receiver hears of approvals alone. */
export function checkFilters({ config }: Pick<Target, 'config'>): Finding[] {
  return findUnheardFollowUps(config).map(({ path, says, mend }) =>
    warning(path, says, `${mend}, and deploy; see docs/subscribing.md`),
  );
}

/** Checks that people can open what alerts link to. On one machine nobody reads it there. */
export function checkLinks({ config, redirects }: Pick<Target, 'config' | 'redirects'>): Finding[] {
  const { recordUrl, consoleUrl } = config.links;
  if (redirects || config.people.channels.length === 0 || recordUrl !== undefined || consoleUrl !== undefined)
    return [];
  const mend =
    'set links.recordUrl to the address at which a timesheet is opened, with {timesheetId} in it, and deploy';
  return [warning('links', 'messages have no link to the timesheet that they are about', mend)];
}

/** Removes what the source said, which may name people: for output that may be kept. */
export function omitSourceText({ said: _, ...finding }: Finding): Finding {
  return finding;
}

const ABOUT = 'alarms';

/** Checks that somebody is notified of alarms. `npm start` has none. */
export async function checkAlarms(target: Target): Promise<Finding[]> {
  if (target.redirects) return [];
  const { email, topicArn } = target.config.alarms;
  if (email !== undefined) return [await finding(ABOUT, () => checkMailbox(email, target))];
  if (topicArn !== undefined) return [await finding(ABOUT, () => checkTopic(topicArn, target))];
  const mend = `set alarms.email or alarms.topicArn and deploy; ${describeChapter('alarms-unheard')}`;
  return [warning(ABOUT, 'nobody is notified of them', mend)];
}

async function checkMailbox(address: string, target: Target): Promise<Finding> {
  const [state] = await readMailStates([address], target);
  if (state === 'unsubscribed') return wrong(ABOUT, 'alarms.email is not subscribed', RESUBSCRIBE);
  if (state === 'unconfirmed')
    return wrong(ABOUT, 'alarms.email has not confirmed, so it gets none', CONFIRM);
  return ok(ABOUT, 'alarms.email is notified of them');
}

async function checkTopic(topicArn: string, target: Target): Promise<Finding> {
  const subscribed = await listSubscriptions(topicArn, target);
  const { length } = subscribed.filter(isConfirmed);
  if (length > 0) return ok(ABOUT, `alarms.topicArn has ${length} confirmed subscriptions`);
  const mend = `subscribe somebody to it, and confirm the subscription; ${describeChapter('alarms-unheard')}`;
  return wrong(ABOUT, 'alarms.topicArn has no confirmed subscription, so nobody is notified', mend);
}
