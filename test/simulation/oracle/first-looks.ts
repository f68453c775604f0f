import type { FeedName } from '#shared/core/feeds.ts';
import type { PollEntry, Walk } from '../journal.ts';
import { covers, type Evidence, isCertain } from './evidence.ts';
import { keepsFromAdoption } from './form-news.ts';
import { hasFacts } from './reading.ts';

/** How a scan that may be the first of a slice found a record. */
export interface FirstSight {
  /** Number of the walk, in order of their beginnings. */
  readonly walk: number;
  /**
   * `silent`: part of the baseline. `untold`: its facts are still to be published (rule 5 of docs/architecture.md).
   * `either`: one or the other. `unreadable`: in a bad shape. `missing`: not there.
   */
  readonly manner: 'silent' | 'untold' | 'either' | 'unreadable' | 'missing';
  /** -1 when it is missing. */
  readonly version: number;
  /** Whether its poll certainly committed: no later scan is the first. */
  readonly certain: boolean;
}

/** The possible first scans of a slice, for one record. */
export interface SliceSights {
  readonly slice: string;
  readonly sights: readonly FirstSight[];
  /** Whether one of them had an unreadable record: it is then not a scan of the whole slice. */
  readonly flawed: boolean;
}

/** Clocks may differ by seconds: a poll that begins within this time of the baseline may know it or not. */
const CLOSE_CALL_MS = 15_000;

/** The possible first scans of a slice. */
interface FirstScans {
  readonly scans: readonly { readonly walk: Walk; readonly certain: boolean }[];
  readonly flawed: boolean;
}

interface Place {
  readonly feed: FeedName;
  readonly id: string;
  readonly slice: string;
}

/**
 * The complete walks of which one is the first scan of a slice: from the first one until the first whose poll certainly
 * committed. Which of those before it committed does not show outside the engine.
 */
export class FirstLooks {
  readonly #evidence: Evidence;
  readonly #scans = new Map<string, FirstScans>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  /** Every slice whose baseline may include a record. */
  of(feed: FeedName, id: string): SliceSights[] {
    const served = this.#evidence.history.journal.served[feed].get(id) ?? [];
    const slices = new Set(served.map(({ version }) => this.#evidence.slice(feed, id, version)));
    return [...slices].flatMap((slice) => {
      if (slice === null) return [];
      const { scans, flawed } = this.#first(feed, slice);
      const sights = scans.map(({ walk, certain }) => ({
        ...this.#sight(walk, { feed, id, slice }),
        certain,
      }));
      return [{ slice, flawed, sights }];
    });
  }

  #sight(walk: Walk, place: Place): Omit<FirstSight, 'certain'> {
    const seen = walk.records.get(place.id);
    const { number } = walk;
    if (seen === undefined || this.#evidence.slice(place.feed, place.id, seen.version) !== place.slice)
      return { walk: number, manner: 'missing', version: -1 };
    const manner = seen.shape === 'good' ? this.#mannerOf(walk, place, seen.version) : 'unreadable';
    return { walk: number, manner, version: seen.version };
  }

  /** A scan of a poll that began before the baseline was complete belongs to the baseline. */
  #mannerOf(walk: Walk, { feed, id, slice }: Place, version: number): 'silent' | 'untold' | 'either' {
    const watched = this.#evidence.watched(feed, id, version);
    if (watched === null || !hasFacts(feed, watched)) return 'silent';
    const baseline = this.#evidence.baseline(feed);
    if (slice < String(baseline?.data.from)) return 'silent';
    const began = this.#evidence.poll(walk.poll)?.clockAtStart ?? 0;
    const completedAt = baseline?.by ?? Number.POSITIVE_INFINITY;
    const isWrongClock = this.#evidence.history.faults.has('clock_a_day_off');
    if (isWrongClock || Math.abs(began - completedAt) < CLOSE_CALL_MS) return 'either';
    return began < completedAt ? 'silent' : 'untold';
  }

  #first(feed: FeedName, slice: string): FirstScans {
    const key = `${feed} ${slice}`;
    const known = this.#scans.get(key);
    if (known !== undefined) return known;
    const walks = this.#evidence.walksOf[feed].filter((walk) => covers(walk, slice));
    const certain = walks.find((walk) => this.#counts(walk, slice));
    // A scan that another walk of its poll overtook is repeated: any of them may count.
    const last = walks.findLastIndex(({ poll }) => poll === certain?.poll);
    const possible = certain === undefined ? walks : walks.slice(0, last + 1);
    const first = {
      scans: possible.map((walk) => ({
        walk,
        certain: this.#counts(walk, slice) && !this.#isRepeated(walk, slice),
      })),
      flawed: possible.some(({ records }) => [...records.values()].some(({ shape }) => shape !== 'good')),
    };
    this.#scans.set(key, first);
    return first;
  }

  /** Whether a walk that is complete certainly is a scan of a slice. */
  #counts(walk: Walk, slice: string): boolean {
    const poll = this.#evidence.poll(walk.poll);
    if (!isCertain(poll) || isLeftToNext(poll, slice) || this.#mayBeOvertaken(walk, slice)) return false;
    // How many of its bad records count for this slice does not show: such a scan may be the first, or not.
    return !keepsFromAdoption(this.#evidence, walk, slice);
  }

  /** Its poll scanned the slice again, because others moved records meanwhile: then the later scan may count instead. */
  #isRepeated({ poll, number }: Walk, slice: string): boolean {
    return this.#evidence.walks.some(
      (walk) => walk.poll === poll && walk.number > number && covers(walk, slice),
    );
  }

  /** Its poll began to scan the slice again, and failed: what the scan before found does not count if it was overtaken. */
  #mayBeOvertaken({ poll }: Walk, slice: string): boolean {
    const last = this.#evidence.walks.findLast((walk) => walk.poll === poll && covers(walk, slice));
    return last?.complete === false;
  }
}

/**
 * Whether a poll left a slice to the next one, or may have: a walk beside wrote to it while it was read, and for reading
 * it again there was no time.
 */
function isLeftToNext(poll: PollEntry | undefined, slice: string): boolean {
  const { reasons = [], remainingSlices = 0 } = poll?.report ?? {};
  if (remainingSlices > 0) return true;
  return reasons.some((reason) => /changed while it was read/.test(reason) && reason.includes(slice));
}

/** Scans up to a walk. */
export function sightsUntil(slices: readonly SliceSights[], last: number): SliceSights[] {
  return slices.map((each) => ({ ...each, sights: each.sights.filter(({ walk }) => walk <= last) }));
}

/** Whether the first scan certainly found the record in this manner. */
export function isCertainly({ sights }: SliceSights, manner: FirstSight['manner']): boolean {
  return sights.at(-1)?.certain === true && sights.every((sight) => sight.manner === manner);
}

/** Whether the first scan may have found the record in this manner. */
export function mayBe({ sights }: SliceSights, manner: 'silent' | 'untold'): boolean {
  return sights.some((sight) => isPossibly(sight, manner));
}

export function isPossibly({ manner }: FirstSight, wanted: 'silent' | 'untold'): boolean {
  return manner === wanted || manner === 'either';
}
