import type { Evidence } from '../evidence.ts';
import { type Account, findCountBefore, hasReserve, isSameHours, type ToldAccount } from './accounts.ts';

const MAX_LISTED = 50;
/** A poll takes no longer from counting to committing. */
const MAX_POLL_MS = 300_000;

/** What changed is held against the figures that were told last, and adds up to those that are told now. */
export function judgeChanges(evidence: Evidence, told: ToldAccount, account: Account): void {
  const violate = (text: string) => evidence.violate(told.about, text);
  const last = findCountBefore(told);
  const { changes } = account;
  const isKnown = (each: Account) => !hasReserve(each, 'dates_unread', 'members_unknown');
  // Of records that were never readable nothing is counted.
  const isSure = (each: Account) => isKnown(each) && !hasReserve(each, 'records_unreadable');
  if (changes === null) {
    if (last?.account != null && isSure(last.account) && isSure(account))
      violate('does not say what changed, and all of it is known');
    return;
  }
  if (last?.account == null) return violate('says what changed, and nothing was told before');
  if (!isSameHours(changes.readyHours, last.account.ready.hours))
    violate(`is held against ${changes.readyHours} h, and ${last.account.ready.hours} h were told`);
  const apart = last.event.at - Date.parse(changes.since);
  if (apart < -evidence.toleranceMs || apart > MAX_POLL_MS + evidence.toleranceMs)
    violate(`is held against ${changes.since}, when nothing was told`);
  const isComplete = isSure(last.account) && isSure(account);
  const mayBeComplete = isKnown(last.account) && isKnown(account);
  if (changes.complete ? !mayBeComplete : isComplete)
    violate(`says complete ${changes.complete} of what changed`);
  if (changes.complete && !isSameHours(changes.readyHours + changes.hours, account.ready.hours))
    violate('what changed does not lead to what is ready');
  const { listed, open } = changes;
  if (listed.length !== Math.min(MAX_LISTED, changes.timesheets)) violate('does not list what changed');
  const sum = listed.reduce((hours, { difference }) => hours + difference, 0);
  if (changes.timesheets <= MAX_LISTED && !isSameHours(sum, changes.hours))
    violate('what changed does not add up');
  if (listed.some(({ was, now, difference }) => !isSameHours((now ?? 0) - (was ?? 0), difference)))
    violate('a change is not the difference of its hours');
  if (open.timesheets > changes.timesheets) violate('more is open than changed');
}
