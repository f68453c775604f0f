import type * as z from 'zod';
import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import { type DateRange, listDates } from '#shared/core/dates.ts';
import { type Page, walkPages } from '#shared/core/fetch/pages.ts';
import type { EventPublisher, SourceApi } from '#shared/flow/poll/ports.ts';

/** A connection in UTC; its address is replaced where a source answers behind a socket. */
export function createBenchConnection(
  settings: Partial<Pick<z.input<typeof connectionSchema>, 'baseUrl' | 'window' | 'requests'>> = {},
): Connection {
  return connectionSchema.parse({
    name: 'bench',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'UTC',
    secretName: 'none',
    ...settings,
  });
}

/** Takes every event. */
export function createBenchPublisher(take: (texts: readonly string[]) => void = () => {}): EventPublisher {
  return {
    publish: async (texts) => {
      take(texts);
      return { published: texts.length, unpublished: [], requests: Math.ceil(texts.length / 10) };
    },
  };
}

export interface ListSourceOptions {
  /** Timesheets of a date, in the order of the list. */
  readonly listOf: (date: string) => List<unknown>;
  readonly pageSize: number;
  readonly now: () => number;
  /** How long an answer takes; no time unless given. */
  readonly wait?: () => Promise<void>;
}

/** A source in memory; every timesheet that is asked for by id is gone. */
export function createListSource({
  listOf,
  pageSize,
  now,
  wait = async () => {},
}: ListSourceOptions): SourceApi {
  let requests = 0;
  const answer = async <Contents extends object>(show: () => Contents) => {
    requests += 1;
    const requestedAt = now();
    await wait();
    return { ...show(), requestedAt, receivedAt: now() };
  };
  return {
    counts: () => ({ requests, throttled: 0 }),
    lookUp: () => answer(() => ({ outcome: 'gone' })),
    pages: (_feed, range) =>
      walkPages((nextPage) => {
        const page = nextPage === null ? 1 : Number(nextPage);
        return answer(() => buildListPage(listsIn(range, listOf), { page, pageSize }));
      }),
  };
}

function listsIn(range: DateRange | null, listOf: ListSourceOptions['listOf']): List<unknown>[] {
  return range === null ? [] : listDates(range).map(listOf);
}

/** Records in a row, which may be made when they are asked for. */
export interface List<Item> {
  readonly length: number;
  /** At most to its end. */
  slice(from: number, to: number): Item[];
}

/** A list whose items are made when they are asked for. */
export function listOf<Item>(length: number, make: (index: number) => Item): List<Item> {
  return {
    length,
    slice: (from, to) =>
      Array.from({ length: Math.max(0, Math.min(to, length) - from) }, (_, index) => make(from + index)),
  };
}

/**
 * Contents of one page of several lists in a row, as the source pages them. `nextPage` is the number of the next
 * page.
 */
export function buildListPage<Item>(
  lists: readonly List<Item>[],
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): { readonly records: Item[]; readonly pagination: NonNullable<Page['pagination']> } {
  const totalRecords = lists.reduce((sum, list) => sum + list.length, 0);
  const totalPages = Math.max(1, Math.ceil(totalRecords / pageSize));
  const nextPage = page < totalPages ? String(page + 1) : '';
  const records = sliceLists(lists, (page - 1) * pageSize, page * pageSize);
  return { records, pagination: { page, pageSize, totalPages, totalRecords, nextPage } };
}

function sliceLists<Item>(lists: readonly List<Item>[], from: number, to: number): Item[] {
  const items: Item[] = [];
  let start = 0;
  for (const list of lists) {
    if (start < to && start + list.length > from)
      items.push(...list.slice(Math.max(0, from - start), to - start));
    start += list.length;
  }
  return items;
}
