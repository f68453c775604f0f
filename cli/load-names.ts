import { openStore } from '#shared/operator/open-store.ts';
import type { Target } from '#shared/operator/target.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';

/** The names that may be shown. */
export async function loadNames(connection: string, target: Target): Promise<Names> {
  const reader = createNameReader(openStore(target));
  return await reader.load(connection, target.config.people.names).catch(() => NO_NAMES);
}
