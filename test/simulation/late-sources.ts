import type { DateRange } from '#shared/core/dates.ts';
import { listDates } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type Page, type WalkEnd, walkPages } from '#shared/core/fetch/pages.ts';
import type { Lookup, SourceApi } from '#shared/flow/poll/ports.ts';
import type { Rewire } from './history.ts';
import { dayAt, shiftDay } from './oracle/local-time.ts';
import { connectionAt, MINUTE_MS, type Settings } from './settings.ts';

type Pages = AsyncGenerator<Page, WalkEnd>;
type Walked = (feed: FeedName, range: DateRange | null) => Pages;

/** The distance of a date from today, and the age of its last complete scan. */
interface DateAge {
  /** Days after today. */
  readonly distance: number;
  readonly sinceMs: number;
  /** Whether a walk over it has failed before. */
  readonly failed: boolean;
}

/**
 * An engine that skips some dates when they are due: it drops their records and treats the walk as incomplete, so it
 * publishes nothing wrong about them, and nothing new.
 */
function blindTo(isSkipped: (age: DateAge) => boolean): Rewire {
  const looks = new Looks();
  return ({ source, clock, ...ports }, settings) => {
    async function* lookPast(walk: Pages, dates: readonly string[]): Pages {
      const skipped = new Set(dates.filter((date) => isSkipped(looks.ageOf(date, clock.now(), settings))));
      const end = yield* withoutDates(walk, skipped);
      if (end.error !== null) looks.noteFailure(dates);
      if (!end.complete) return end;
      looks.noteLook(
        dates.filter((date) => !skipped.has(date)),
        clock.now(),
      );
      return skipped.size === 0 ? end : { ...end, complete: false, problem: 'abandoned' };
    }
    const pages: Walked = (feed, range) =>
      range === null ? source.pages(feed, range) : lookPast(source.pages(feed, range), listDates(range));
    return { ...ports, clock, source: withPages(source, pages) };
  };
}

/** Last scan and failures by date. */
class Looks {
  readonly #at = new Map<string, number>();
  readonly #failed = new Set<string>();

  ageOf(date: string, now: number, settings: Settings): DateAge {
    const sinceMs = now - (this.#at.get(date) ?? Number.NEGATIVE_INFINITY);
    return { distance: distanceOf(date, now, settings), sinceMs, failed: this.#failed.has(date) };
  }

  noteLook(dates: Iterable<string>, at: number): void {
    for (const date of dates) this.#at.set(date, at);
  }

  noteFailure(dates: Iterable<string>): void {
    for (const date of dates) this.#failed.add(date);
  }
}

async function* withoutDates(walk: Pages, skipped: ReadonlySet<string>): Pages {
  for (;;) {
    const next = await walk.next();
    if (next.done === true) return next.value;
    const records = next.value.records.filter((record) => !skipped.has(dateOf(record)));
    yield { ...next.value, records };
  }
}

function dateOf(record: unknown): string {
  return String((record as { date?: unknown } | null)?.date ?? '');
}

function distanceOf(date: string, now: number, settings: Settings): number {
  const today = dayAt(now, connectionAt(settings, now).timeZone);
  return Math.round((Date.parse(date) - Date.parse(shiftDay(today, 0))) / (24 * 60 * MINUTE_MS));
}

function withPages(source: SourceApi, pages: Walked): SourceApi {
  return {
    ...source,
    pages,
    lookUp: (feed, id) => source.lookUp(feed, id),
    counts: () => source.counts(),
  };
}

function withLookUps(source: SourceApi, lookUp: (feed: FeedName, id: string) => Promise<Lookup>): SourceApi {
  return {
    ...source,
    pages: (feed, range) => source.pages(feed, range),
    lookUp,
    counts: () => source.counts(),
  };
}

/** A walk that ends at once, as if the source had failed. */
function failedWalk(): Pages {
  return walkPages(() => Promise.reject(failure()));
}

const failure = () => new SourceError('source_failed', 'no longer requested', { status: 500 });
const isKnown = ({ sinceMs }: DateAge): boolean => sinceMs !== Number.POSITIVE_INFINITY;
const isHot = ({ distance }: DateAge): boolean => Math.abs(distance) <= 1;

/** Engines that read the source late or never again. */
export const LATE_SOURCES: Readonly<Record<string, () => Rewire>> = {
  'never looks again at dates other than yesterday, today and tomorrow': () =>
    blindTo((age) => !isHot(age) && isKnown(age)),
  'looks at other dates once a day': () => blindTo((age) => !isHot(age) && age.sinceMs < 24 * 60 * MINUTE_MS),
  'looks at other dates every two hours': () =>
    blindTo((age) => !isHot(age) && age.sinceMs < 120 * MINUTE_MS),
  'never looks again at dates ahead': () => blindTo((age) => age.distance > 1 && isKnown(age)),
  'looks at today every ten minutes': () => blindTo((age) => isHot(age) && age.sinceMs < 10 * MINUTE_MS),
  'never looks again at a date that failed once': () => blindTo((age) => age.failed && isKnown(age)),
  'never looks at a date whose first look failed': () => blindTo((age) => age.failed && !isKnown(age)),
  'sees only every other look at a date': () => {
    const looks = new Map<number, number>();
    return blindTo((age) => {
      const { distance } = age;
      const look = (looks.get(distance) ?? 0) + 1;
      looks.set(distance, look);
      return look % 2 === 0 && isKnown(age);
    });
  },
  'gives up a poll at the first date that fails': () => (ports) => {
    let over = false;
    const pages: Walked = (feed, range) => (over ? failedWalk() : noted(feed, range));
    async function* noted(feed: FeedName, range: DateRange | null): Pages {
      const end = yield* ports.source.pages(feed, range);
      if (end.error !== null) over = true;
      return end;
    }
    return { ...ports, source: withPages(ports.source, pages) };
  },
  'gives up a poll at the first record that is refused': () => (ports) => {
    let over = false;
    const lookUp = async (feed: FeedName, id: string): Promise<Lookup> => {
      try {
        if (over) throw failure();
        return await ports.source.lookUp(feed, id);
      } catch (error) {
        over = true;
        throw error;
      }
    };
    const pages: Walked = (feed, range) => (over ? failedWalk() : ports.source.pages(feed, range));
    return { ...ports, source: withPages(withLookUps(ports.source, lookUp), pages) };
  },
  'asks for a record only once': () => {
    const asked = new Set<string>();
    return (ports) => {
      const lookUp = async (feed: FeedName, id: string): Promise<Lookup> => {
        if (asked.has(id)) throw failure();
        asked.add(id);
        return await ports.source.lookUp(feed, id);
      };
      return { ...ports, source: withLookUps(ports.source, lookUp) };
    };
  },
  'asks for no others than the first few absent records': () => {
    const asked = new Set<string>();
    return (ports) => {
      const lookUp = async (feed: FeedName, id: string): Promise<Lookup> => {
        if (!asked.has(id) && asked.size >= 3) throw failure();
        asked.add(id);
        return await ports.source.lookUp(feed, id);
      };
      return { ...ports, source: withLookUps(ports.source, lookUp) };
    };
  },
  'asks again at once for what failed': () => {
    const failed = new Map<string, DateRange>();
    return (ports) => {
      let first = true;
      async function* pages(feed: FeedName, range: DateRange | null): Pages {
        if (first) {
          first = false;
          for (const again of failed.values()) await finish(ports.source.pages(feed, again));
        }
        const end = yield* ports.source.pages(feed, range);
        if (end.error !== null && range !== null) failed.set(`${range.from} ${range.to}`, range);
        return end;
      }
      return { ...ports, source: withPages(ports.source, pages) };
    };
  },
  'reads a list that fails until the time is over': () => (ports) => {
    async function* pages(feed: FeedName, range: DateRange | null): Pages {
      const end = yield* ports.source.pages(feed, range);
      for (let tries = 0; end.error !== null && tries < 100; tries += 1)
        await finish(ports.source.pages(feed, range));
      return end;
    }
    return { ...ports, source: withPages(ports.source, pages) };
  },
};

async function finish(pages: Pages): Promise<void> {
  while ((await pages.next()).done !== true);
}
