import type { DirectoryFeed } from '#shared/core/feeds.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import type { LeafRow, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { type RecordStore, walkLeaves } from '#shared/flow/stored-records.ts';
import { type NamedKind, type Names, NO_NAMES } from '../names/names.ts';

/** A longer name is cut, since it stands in a sentence. */
const MAX_DISPLAYED_CHARACTERS = 80;

/** The feed whose rows have the names of a kind, and the fields that may hold one, the first that does. */
const SOURCES: Readonly<Record<NamedKind, { readonly feed: DirectoryFeed; readonly fields: string[] }>> = {
  employees: { feed: 'employees', fields: ['name'] },
  departments: { feed: 'departments', fields: ['name'] },
  managers: { feed: 'departments', fields: ['managerId', 'managerName'] },
};

export interface NameReader {
  /** The names of these kinds, as the source had them when the directory was polled last; the other kinds are empty. */
  load(connection: string, kinds: readonly NamedKind[]): Promise<Names>;
}

interface Remembered {
  readonly revisions: string;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Reads names from the rows of the directory. They are read again when a head has another revision: one request instead
 * of one for every hundred leaves. Throws what the store throws.
 */
export function createNameReader(store: RecordStore): NameReader {
  const remembered = new Map<string, Remembered>();
  const load = async (connection: string, kind: NamedKind) => {
    const { feed } = SOURCES[kind];
    const revisions = describeRevisions(await store.loadHeads({ connection, feed }, ''));
    const known = remembered.get(`${connection} ${kind}`);
    if (known?.revisions === revisions) return known.names;
    const names = await readNames(connection, kind, store);
    remembered.set(`${connection} ${kind}`, { revisions, names });
    return names;
  };
  return {
    async load(connection, kinds) {
      const entries = kinds.map(async (kind) => [kind, await load(connection, kind)] as const);
      return { ...NO_NAMES, ...Object.fromEntries(await Promise.all(entries)) };
    },
  };
}

function describeRevisions(heads: readonly SliceHead[]): string {
  return heads.map(({ slice, revision }) => `${slice}@${revision}`).join(' ');
}

async function readNames(
  connection: string,
  kind: NamedKind,
  store: RecordStore,
): Promise<ReadonlyMap<string, string>> {
  const { feed } = SOURCES[kind];
  const names = new Map<string, string>();
  for await (const { rows } of walkLeaves(connection, { feed }, store)) {
    for (const row of rows) {
      const name = readName(row, kind);
      if (name !== null) names.set(row.id, name);
    }
  }
  return names;
}

function readName({ state }: LeafRow, kind: NamedKind): string | null {
  const { feed, fields } = SOURCES[kind];
  const values = toState(feedDefinition(feed), state);
  const name = fields.map((field) => values[field]).find((value) => typeof value === 'string');
  return typeof name === 'string' ? [...name].slice(0, MAX_DISPLAYED_CHARACTERS).join('').trim() : null;
}
