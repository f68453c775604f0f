import type { DirectoryFeed } from '#shared/core/feeds.ts';
import type { State } from '#shared/core/records/fields.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import { loadHeadsOf, type RecordStore, walkRows } from '#shared/flow/stored-records.ts';
import { FEED_OF_NAMES, NAMED_KINDS, type NamedKind, type Names, NO_NAMES } from '../names/names.ts';

/** A longer name is cut, since it stands in a sentence. */
const MAX_DISPLAYED_CHARACTERS = 80;

/** The fields of a row that may hold the name of a kind, the first that does. */
const FIELDS: Readonly<Record<NamedKind, readonly string[]>> = {
  employees: ['name'],
  departments: ['name'],
  managers: ['managerId', 'managerName'],
};

export interface NameReader {
  /** The names of these kinds, as the source had them when the directory was polled last; the other kinds are empty. */
  load(connection: string, kinds: readonly NamedKind[]): Promise<Names>;
}

interface Remembered {
  readonly digests: string;
  readonly names: Partial<Names>;
}

/**
 * Reads names from the rows of the directory, each list once for all kinds that it has, and again when its head describes
 * other rows. Throws what the store throws.
 */
export function createNameReader(store: RecordStore): NameReader {
  const remembered = new Map<string, Remembered>();
  const loadFeed = async (connection: string, feed: DirectoryFeed): Promise<Partial<Names>> => {
    const digests = JSON.stringify(
      (await loadHeadsOf(connection, feed, store)).map(({ buckets }) => buckets),
    );
    const known = remembered.get(`${connection} ${feed}`);
    if (known?.digests === digests) return known.names;
    const names = await readNames(connection, feed, store);
    remembered.set(`${connection} ${feed}`, { digests, names });
    return names;
  };
  return {
    async load(connection, kinds) {
      const feeds = [...new Set(kinds.map((kind) => FEED_OF_NAMES[kind]))];
      const found = await Promise.all(feeds.map((feed) => loadFeed(connection, feed)));
      const all: Names = Object.assign({ ...NO_NAMES }, ...found);
      return { ...NO_NAMES, ...Object.fromEntries(kinds.map((kind) => [kind, all[kind]])) };
    },
  };
}

/** The names of every kind that the rows of a feed have. */
async function readNames(
  connection: string,
  feed: DirectoryFeed,
  store: RecordStore,
): Promise<Partial<Names>> {
  const kinds = NAMED_KINDS.filter((kind) => FEED_OF_NAMES[kind] === feed);
  const names = new Map(kinds.map((kind) => [kind, new Map<string, string>()]));
  for await (const { rows } of walkRows(connection, { feed }, store)) {
    for (const row of rows) {
      const state = readState(feed, row) ?? {};
      for (const [kind, named] of names) {
        const name = readName(state, kind);
        if (name !== null) named.set(row.id, name);
      }
    }
  }
  return Object.fromEntries(names);
}

function readName(values: State, kind: NamedKind): string | null {
  const name = FIELDS[kind].map((field) => values[field]).find((value) => typeof value === 'string');
  return typeof name === 'string' ? [...name].slice(0, MAX_DISPLAYED_CHARACTERS).join('').trim() : null;
}
