import { computeWindow } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Page, WalkEnd } from '#shared/core/fetch/pages.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { Lookup, SourceApi } from '#shared/flow/poll/ports.ts';
import { connectionAt, type Settings } from './settings.ts';

type WrongSource = (ports: PollPorts) => Partial<PollPorts>;
type Pages = AsyncGenerator<Page, WalkEnd>;

/** More than a history has. */
const MAX_TIMESHEETS = 3_000;

/** Replaces pages or answers by id of the source. */
function source(
  { source: right }: PollPorts,
  wrong: {
    pages?: (pages: Pages) => Pages;
    lookUp?: (feed: FeedName, id: string) => Promise<Lookup>;
    listMembers?: SourceApi['listMembers'];
  },
): { source: SourceApi } {
  const { pages = (same) => same, lookUp = (feed, id) => right.lookUp(feed, id) } = wrong;
  return {
    source: {
      pages: (feed, range) => pages(right.pages(feed, range)),
      lookUp,
      ...(wrong.listMembers === undefined ? {} : { listMembers: wrong.listMembers }),
      counts: () => right.counts(),
    },
  };
}

/** Engines that request wrongly, or misread answers of the source. */
export const WRONG_SOURCES: Readonly<Record<string, WrongSource>> = {
  'takes a refusal for an empty list': (ports) =>
    source(ports, { pages: (pages) => emptyWhenRefused(pages, ports) }),
  'takes a drifted walk for a whole one': (ports) =>
    source(ports, { pages: (pages) => wholeWhen(pages, 'drifted') }),
  'takes a failed walk for a whole one': (ports) =>
    source(ports, { pages: (pages) => wholeWhen(pages, 'source_error') }),
  'takes a loop of pages for their end': (ports) =>
    source(ports, { pages: (pages) => wholeWhen(pages, 'page_loop') }),
  'takes an absent record for a removed one': (ports) =>
    source(ports, { lookUp: async () => goneAt(ports.clock.now()) }),
  'takes any failed question for a 404': (ports) =>
    source(ports, {
      lookUp: async (feed, id) => {
        try {
          return await ports.source.lookUp(feed, id);
        } catch (error) {
          if (error instanceof SourceError) return goneAt(ports.clock.now());
          throw error;
        }
      },
    }),
  'takes every timesheet for one of the pay period': (ports) =>
    source(ports, {
      listMembers: async () => Array.from({ length: MAX_TIMESHEETS }, (_, index) => `${index + 1}_1`),
    }),
  'fills in what a record lacks': (ports) => source(ports, { pages: (pages) => filledIn(pages) }),
  'drops records it cannot read': (ports) => source(ports, { pages: (pages) => readableOnly(pages) }),
  'says when it began to look, not when it saw': (ports) => {
    const startedAt = ports.clock.now();
    return source(ports, {
      pages: (pages) => eachPage(pages, (page) => ({ ...page, receivedAt: startedAt })),
    });
  },
};

function goneAt(now: number): Lookup {
  return { outcome: 'gone', requestedAt: now, receivedAt: now };
}

async function* eachPage(pages: Pages, change: (page: Page) => Page): Pages {
  for (;;) {
    const next = await pages.next();
    if (next.done === true) return next.value;
    yield change(next.value);
  }
}

async function* wholeWhen(pages: Pages, problem: WalkEnd['problem']): Pages {
  const end = yield* pages;
  return end.problem === problem ? { ...end, complete: true, problem: null, error: null } : end;
}

async function* emptyWhenRefused(pages: Pages, { clock }: PollPorts): Pages {
  const end = yield* pages;
  if (end.error === null || end.pagesReceived > 0) return end;
  yield { records: [], pagination: null, requestedAt: clock.now(), receivedAt: clock.now() };
  return { ...end, complete: true, problem: null, error: null };
}

function filledIn(pages: Pages): Pages {
  return eachPage(pages, (page) => ({
    ...page,
    records: page.records.map((record) => ({ processed: null, closed: null, ...(record as object) })),
  }));
}

function readableOnly(pages: Pages): Pages {
  return eachPage(pages, (page) => ({
    ...page,
    records: page.records.filter((record) => {
      const { processed, closed, employeeId, hoursToPay } = record as Record<string, unknown>;
      const short = typeof employeeId !== 'string' || employeeId.length < 200;
      return (processed !== undefined || closed !== undefined) && short && typeof hoursToPay !== 'string';
    }),
  }));
}

/** Reads the source before the stored state, against rule 1 of docs/architecture.md. */
export function fetchedFirst(
  { source: right, store, clock }: PollPorts,
  settings: Settings,
): Partial<PollPorts> {
  const connection = connectionAt(settings, clock.now());
  const range = computeWindow(clock.now(), connection.timeZone, connection.window);
  let fetched: { readonly pages: readonly Page[]; readonly end: WalkEnd } | null = null;
  const fetchAll = async (feed: FeedName) => {
    const pages: Page[] = [];
    const walk = right.pages(feed, feed === 'timesheets' ? range : null);
    for (;;) {
      const next = await walk.next();
      if (next.done === true) return { pages, end: next.value };
      pages.push(next.value);
    }
  };
  async function* repeated(): Pages {
    for (const page of fetched?.pages ?? []) yield { ...page, pagination: null };
    if (fetched === null) throw new Error('nothing was fetched before');
    return fetched.end;
  }
  return {
    store: {
      ...store,
      loadHeads: async (feed, from) => {
        fetched = await fetchAll(feed.feed);
        return await store.loadHeads(feed, from);
      },
    },
    source: { pages: repeated, lookUp: (feed, id) => right.lookUp(feed, id), counts: () => right.counts() },
  };
}
