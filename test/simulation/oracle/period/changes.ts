import type { Evidence } from '../evidence.ts';
import { type Account, findCountBefore, hasReserve, isSameHours, type ToldAccount } from './accounts.ts';

const MAX_LISTED = 50;
/** A poll takes no longer from counting to committing. */
const MAX_POLL_MS = 300_000;

type Changes = NonNullable<Account['changes']>;

/** What changed is held against the figures that were told last, and adds up to those that are told now. */
export function judgeChanges(evidence: Evidence, told: ToldAccount, account: Account): void {
  const { changes } = account;
  const last = findCountBefore(told);
  const wrong =
    changes === null
      ? findUnsaid(account, last?.account ?? null)
      : last?.account == null
        ? ['says what changed, and nothing was told before']
        : [
            ...compareWithTold(changes, { last: last.account, account }),
            ...findWrongSums(changes),
            ...findWrongTime(changes, last.event.at, evidence.toleranceMs),
          ];
  for (const text of wrong) evidence.violate(told.about, text);
}

/** Whether all timesheets are counted that are there. */
function isKnown(account: Account): boolean {
  return !hasReserve(account, 'dates_unread', 'members_unknown');
}

/** Of records that were never readable nothing is counted; those that were are as they were read. */
function isSure(account: Account): boolean {
  return isKnown(account) && !hasReserve(account, 'records_unreadable');
}

function findUnsaid(account: Account, last: Account | null): string[] {
  const isUnsaid = last !== null && isSure(last) && isSure(account);
  return isUnsaid ? ['does not say what changed, and all of it is known'] : [];
}

interface Compared {
  readonly last: Account;
  readonly account: Account;
}

function compareWithTold(changes: Changes, { last, account }: Compared): string[] {
  const { complete, readyHours, hours } = changes;
  return [
    ...(isSameHours(readyHours, last.ready.hours)
      ? []
      : [`is held against ${readyHours} h, and ${last.ready.hours} h were told`]),
    ...(complete && !(isKnown(last) && isKnown(account)) ? ['says that it knows all that changed'] : []),
    ...(!complete && isSure(last) && isSure(account) ? ['says that it does not know all that changed'] : []),
    ...(complete && !isSameHours(readyHours + hours, account.ready.hours)
      ? ['what changed does not lead to what is ready']
      : []),
  ];
}

function findWrongSums({ listed, timesheets, hours, open }: Changes): string[] {
  const sum = listed.reduce((total, { difference }) => total + difference, 0);
  const isListed = listed.length === Math.min(MAX_LISTED, timesheets);
  const addsUp = timesheets > MAX_LISTED || isSameHours(sum, hours);
  const areDifferences = listed.every(({ was, now, difference }) =>
    isSameHours((now ?? 0) - (was ?? 0), difference),
  );
  return [
    ...(isListed ? [] : ['does not list what changed']),
    ...(addsUp ? [] : ['what changed does not add up']),
    ...(areDifferences ? [] : ['a change is not the difference of its hours']),
    ...(open.timesheets > timesheets ? ['more is open than changed'] : []),
  ];
}

function findWrongTime({ since }: Changes, toldAt: number, toleranceMs: number): string[] {
  const apart = toldAt - Date.parse(since);
  const isThen = -toleranceMs <= apart && apart <= MAX_POLL_MS + toleranceMs;
  return isThen ? [] : [`is held against ${since}, when nothing was told`];
}
