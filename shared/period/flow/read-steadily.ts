import { NotifierError } from '#shared/core/errors.ts';
import { type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import { EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { PeriodAccount } from '../period-account.ts';
import { type ReadAccount, readDates, readRowsOfHead, viewPeriod } from './read-account.ts';

/** Times that dates are counted which polls commit to meanwhile. */
const MAX_COUNTS = 10;

type AccountStore = Pick<Store, 'loadState' | 'loadHeads' | 'readBuckets'>;

/**
 * Reads accounts beside polls: dates are read again that a poll committed to since their heads were loaded, so that all
 * of them are as they were in one moment. Throws a retryable `NotifierError` (`statement_moved`) where that does not end.
 */
export function readSteadily(connection: string, store: AccountStore): ReadAccount {
  return async (period, take) => {
    const account = new PeriodAccount();
    let known = await load(connection, store);
    let changed: ReadonlySet<string> | null = null;
    for (let counts = 0; counts < MAX_COUNTS; counts += 1) {
      const views = viewPeriod(period, known).filter(({ slice }) => changed?.has(slice) !== false);
      await readDates(account, views, known, take);
      const now = await load(connection, store);
      const isOther = ({ slice }: { readonly slice: string }) => {
        const name = nameSlice({ feed: 'timesheets', slice });
        return !isSame(known.heads.get(name), now.heads.get(name));
      };
      changed = new Set(
        viewPeriod(period, now)
          .filter(isOther)
          .map(({ slice }) => slice),
      );
      if (changed.size === 0) return account;
      known = now;
    }
    const what = `polls changed the period from ${period.startDate} while it was counted; run it again`;
    throw new NotifierError('statement_moved', what, { retryable: true });
  };
}

async function load(connection: string, store: AccountStore) {
  // The state first: a look that it knows of is in the heads.
  const state = (await store.loadState(connection)) ?? EMPTY_STATE;
  const heads = new Map((await store.loadHeads(connection)).map((head) => [nameSlice(head), head]));
  return {
    state,
    heads,
    hasTimeLeft: () => true,
    readRows: (head: Head) => readRowsOfHead(head, { connection, store }),
  };
}

function isSame(before: Head | undefined, now: Head | undefined): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
