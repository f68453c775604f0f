import type { FeedName } from '#shared/core/feeds.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { Journal, PollEntry, Walk } from '../journal.ts';
import { lasts, type Spells } from '../spells.ts';
import { type KnownRecord, readRows } from '../stored-rows.ts';
import type { World } from '../world/world.ts';
import { covers, isGood } from './evidence.ts';
import { sliceOf, textOf, watchedOf } from './reading.ts';

interface LookedAt {
  readonly world: World;
  readonly journal: Journal;
  readonly spells: Spells;
  readonly store: Pick<Store, 'loadHeads' | 'readBuckets'>;
  readonly connection: string;
}

/**
 * After a poll that did all it could, with nobody beside it, each slice that it saw whole is stored as it saw it, or as it
 * was later. A slice in doubt waits: what two such looks in a row show alike is stored.
 */
export async function checkLooks(entry: PollEntry, site: LookedAt): Promise<void> {
  if (!isGood(entry) || !entry.isAlone) return;
  const { journal, store, connection } = site;
  const walks = journal.walks.filter((walk) => walk.poll === entry.number);
  if (walks.length === 0) return;
  const { rows } = await readRows(store, connection);
  const heads = await store.loadHeads(connection);
  const doubted = new Set(
    heads.filter(({ doubt }) => doubt !== null).map(({ feed, slice }) => `${feed}#${slice}`),
  );
  // Who is left out by a list was found by id; a closing waits for looks at its dates.
  const waiting = new Set(
    heads.flatMap(({ feed, unlisted, pending = [] }) =>
      [...(unlisted?.ids ?? []), ...pending.map(({ id }) => id)].map((id) => `${feed}/${id}`),
    ),
  );
  const lastOf = new Map<string, Walk>();
  for (const walk of walks)
    for (const slice of slicesOf(walk, rows, site)) lastOf.set(`${walk.feed}#${slice}`, walk);
  for (const [name, walk] of lastOf) {
    const [feed, slice] = name.split('#') as [FeedName, string];
    // Until the baseline of a feed is whole, what its slices do not know waits.
    const wholeAt = journal.baselines.get(`${entry.table} ${feed}`) ?? Number.POSITIVE_INFINITY;
    if (!walk.complete || !walk.honest || wholeAt > walk.beganAt) continue;
    if (doubted.has(name) && !isConfirmed(walk, slice, entry, journal)) continue;
    journal.wrongRows.push(
      ...compareSlice({ walk, slice, rows, waiting }, site).map(
        (text) => `${name} after poll ${entry.number}: ${text}`,
      ),
    );
  }
}

function slicesOf(walk: Walk, rows: ReadonlyMap<string, KnownRecord>, { world }: LookedAt): Set<string> {
  const slices = new Set<string>();
  for (const [id, version] of walk.content) {
    const raw = world.truth[walk.feed].get(id)?.version(version);
    if (raw != null) slices.add(sliceOf(walk.feed, raw));
  }
  for (const { feed, slice } of rows.values())
    if (feed === walk.feed && covers(walk, slice)) slices.add(slice);
  return slices;
}

/** Whether the good poll before this one saw the same of a slice, more than a minute earlier. */
function isConfirmed(walk: Walk, slice: string, entry: PollEntry, { walks, polls }: Journal): boolean {
  const before = walks.findLast(
    (each) =>
      each.poll < entry.number && each.feed === walk.feed && covers(each, slice) && each.table === walk.table,
  );
  const poll = before === undefined ? undefined : polls[before.poll];
  if (before === undefined || poll === undefined || !isGood(poll) || !before.honest || !before.complete)
    return false;
  const isSame = [...walk.content].every(([id, version]) => before.content.get(id) === version);
  return isSame && before.content.size === walk.content.size && walk.beganAt - before.beganAt > 75_000;
}

interface Compared {
  readonly walk: Walk;
  readonly slice: string;
  readonly rows: ReadonlyMap<string, KnownRecord>;
  /** Records that are stored as they were for a reason. */
  readonly waiting: ReadonlySet<string>;
}

function compareSlice(compared: Compared, site: LookedAt): string[] {
  return [...findUnstored(compared, site), ...findLeft(compared, site)];
}

/** What was seen and is not stored. */
function findUnstored({ walk, slice, rows, waiting }: Compared, { world }: LookedAt): string[] {
  const { feed, content } = walk;
  return [...content].flatMap(([id, version]) => {
    const record = world.truth[feed].get(id);
    const raw = record?.version(version) ?? null;
    if (record === undefined || raw === null || sliceOf(feed, raw) !== slice || waiting.has(`${feed}/${id}`))
      return [];
    const state = rows.get(`${feed}/${id}`)?.state ?? null;
    const text = state === null ? null : textOf(feed, state);
    const isStored = record.versions
      .slice(version)
      .some(({ record: each }) => (each === null ? null : textOf(feed, watchedOf(feed, each))) === text);
    return isStored ? [] : [`${id} was seen in version ${version} and is not stored so`];
  });
}

/** What is stored and was not seen. */
function findLeft({ walk, slice, rows, waiting }: Compared, { world, spells }: LookedAt): string[] {
  const { feed, content, beganAt } = walk;
  return [...rows.values()].flatMap((known) => {
    const { id } = known;
    if (known.feed !== feed || known.slice !== slice || content.has(id) || waiting.has(`${feed}/${id}`))
      return [];
    const isHidden = spells.records.some((each) => each.id === id && each.hidden && lasts(each, beganAt));
    const isBack = world.truth[feed].get(id)?.versions.some(({ at }) => at > beganAt) === true;
    return isHidden || isBack ? [] : [`${id} is stored and was not there`];
  });
}
