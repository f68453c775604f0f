import { describeChapter } from '#shared/config/alarms.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';
import {
  CONFIRM,
  isConfirmed,
  listSubscriptions,
  RESUBSCRIBE,
  readMailStates,
} from './mail-subscriptions.ts';

const ABOUT = 'alarms';

/** Checks that somebody is notified of alarms. `npm start` has none. */
export async function checkAlarms(target: Target): Promise<Finding[]> {
  const { email, topicArn } = target.config.alarms;
  if (target.redirects) return [];
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
