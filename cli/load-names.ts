import { openStore } from '#shared/operator/open-store.ts';
import type { Target } from '#shared/operator/target.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';

/** The names of a connection that may be shown, which are read once. */
export function openNames(target: Target): (connection: string) => Promise<Names> {
  const reader = createNameReader(openStore(target));
  const known = new Map<string, Promise<Names>>();
  return (connection) => {
    const names =
      known.get(connection) ?? reader.load(connection, target.config.people.names).catch(() => NO_NAMES);
    known.set(connection, names);
    return names;
  };
}
