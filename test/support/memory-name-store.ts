import type { NameStore } from '#shared/people/flow/refresh-names.ts';
import { areNamesExpired, computeNamesExpiry, NO_NAMES } from '#shared/people/names/names.ts';

interface Stored {
  readonly names: ReadonlyMap<string, string>;
  readonly end: number;
}

/** A name store without a database. `now`: milliseconds since 1970. */
export function createMemoryNameStore(now: () => number): NameStore {
  const stored = new Map<string, Stored>();
  return {
    listMissing: async (connection, kinds) =>
      kinds.filter((kind) => {
        const known = stored.get(`${connection} ${kind}`);
        return known === undefined || areNamesExpired(known.end, now());
      }),
    load: async (connection, kinds) => {
      const found = kinds.map((kind) => [kind, namesOf(stored.get(`${connection} ${kind}`), now())] as const);
      return { ...NO_NAMES, ...Object.fromEntries(found) };
    },
    save: async (connection, kind, names) => {
      stored.set(`${connection} ${kind}`, { names: new Map(names), end: computeNamesExpiry(now()) });
    },
  };
}

function namesOf(stored: Stored | undefined, now: number): ReadonlyMap<string, string> {
  return stored === undefined || areNamesExpired(stored.end, now) ? new Map() : stored.names;
}
