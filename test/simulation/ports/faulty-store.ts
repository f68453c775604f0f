import type { Commit, LogItem, Store } from '#shared/flow/poll/ports.ts';
import { STORE_CALLS, type StoreCall } from '../faults.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';

/** The database refused a call or lost an answer. It is no `NotifierError`, so the poll ends with it. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/**
 * The store of one poll: every call takes time before and after its effect, when the poll may crash, and may fail before
 * or after its effect. `onCommit` hears of each commit that had its effect.
 */
export function faultyStore(store: Store, poll: PollLife, onCommit: (commit: Commit) => void): Store {
  const { faults } = poll;
  const through = async <Result>(call: StoreCall, effect: () => Promise<Result>): Promise<Result> => {
    await goTo(call, poll, faults.random.between(1, 30));
    if (faults.happens(`store_error_before:${call}`)) throw new StoreFailure(`${call} was refused`);
    const result = await effect();
    if (faults.happens(`store_error_after:${call}`)) throw new StoreFailure(`the answer to ${call} was lost`);
    await comeBack(call, poll, faults.random.between(1, 30));
    return result;
  };
  const known = new Set<string | symbol>(STORE_CALLS);
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (name === 'readLog')
        return async function* (...given: Parameters<Store['readLog']>) {
          yield* await through('readLog', () => gather(store.readLog(...given)));
        };
      if (name === 'commit')
        return (...given: Parameters<Store['commit']>) =>
          through('commit', async () => {
            const keys = await store.commit(...given);
            onCommit(given[1]);
            return keys;
          });
      if (name === 'tableId') return async () => (isNameless(poll) ? null : await store.tableId());
      // What is not listed is as reliable as a read.
      const call = known.has(name) ? (name as StoreCall) : 'readBuckets';
      return (...given: unknown[]) => through(call, () => method.apply(target, given));
    },
  });
}

/** A store that may not say to a poll which table it is: that poll commits nothing. */
function isNameless({ faults, entry }: PollLife): boolean {
  if (!faults.happens('table_unknown')) return false;
  entry.isTroubled = true;
  return true;
}

async function gather(items: AsyncIterable<LogItem>): Promise<LogItem[]> {
  const all: LogItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}
