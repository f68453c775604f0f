import * as z from 'zod';
import { SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { readId } from '#shared/core/look/look.ts';
import type { Page, SourceApi } from '#shared/flow/poll/ports.ts';
import { type Query, toPathSegment } from './addresses.ts';
import type { Reply, SourceClient } from './client.ts';
import { badResponseError } from './http/failures.ts';
import { parseShape, uncheckedList } from './shape.ts';

/**
 * The envelope of a page (docs/source-api.md, Paging) as far as it is needed. The records are checked one by one later:
 * a bad one must not make its page bad, and checking each twice costs more than reading it.
 */
const envelope = z.object({
  data: uncheckedList,
  pagination: z.object({
    page: z.int().min(0),
    totalPages: z.int().min(0),
    totalRecords: z.int().min(0),
    // `null` and no member mean what '' does: no further page.
    nextPage: z
      .string()
      .nullish()
      .transform((path) => path ?? ''),
  }),
});
const singleEnvelope = z.object({ data: z.tuple([z.unknown()]) });

/** Below `/api/v1`. */
const PATHS: Readonly<Record<FeedName, string>> = {
  timesheets: '/timesheets',
  'pay-periods': '/payperiods',
  employees: '/employees',
  departments: '/departments',
};

/** Pages beyond the announced ones before it is a loop: a list may grow while it is read. */
const EXTRA_PAGES = 3;

/** A list in pages, whose parameters but the page are the same for each. */
interface PagedList {
  readonly path: string;
  readonly query: Query;
}

/** The port `SourceApi` on top of a client. `now`: milliseconds since 1970. */
export function createSourceApi(client: SourceClient, now: () => number): SourceApi {
  return {
    page({ feed, range, page, size }) {
      const path = PATHS[feed];
      if (range === null) return readWholeList(client, path);
      const query = { dateFrom: range.from, dateTo: range.to, pageSize: size ?? undefined };
      return readPage(client, { path, query }, page);
    },

    async lookUp(feed, id) {
      const requestedAt = now();
      try {
        const reply = await client.read({ path: `${PATHS[feed]}/${toPathSegment(id)}` });
        return { outcome: 'found', record: readRecord(feed, id, reply), requestedAt: reply.requestedAt };
      } catch (error) {
        // The only failure that proves an absence (rule 6).
        if (error instanceof SourceError && error.status === 404) return { outcome: 'gone', requestedAt };
        throw error;
      }
    },

    listMembers: (employeeId, payPeriodId) =>
      readIds(client, {
        path: `/employees/${toPathSegment(employeeId)}/timesheets`,
        query: { payPeriodId },
      }),

    counts: client.counts,
    learnedPace: client.learnedPace,
    resumePace: client.resumePace,
  };
}

/** A list that comes whole is one page. */
async function readWholeList(client: SourceClient, path: string): Promise<Page> {
  const { value, place, requestedAt, receivedAt } = await client.read({ path, isWhole: true });
  const records = parseShape(uncheckedList, value, place);
  return { records, totalRecords: records.length, totalPages: 1, requestedAt, receivedAt };
}

/** Throws `SourceError` unless the answer is that page of a list which ends (rule 7). */
async function readPage(client: SourceClient, { path, query }: PagedList, number: number): Promise<Page> {
  const reply = await client.read({ path, query: { ...query, page: number } });
  const { place, requestedAt, receivedAt } = reply;
  const { data, pagination } = parseShape(envelope, reply.value, place);
  const { page, totalPages, totalRecords, nextPage } = pagination;
  if (page !== number) throw badResponseError(`page ${page} when asked for page ${number}`, place);
  if (number > totalPages + EXTRA_PAGES) throw badResponseError(`page ${number} of ${totalPages}`, place);
  if (nextPage !== '') checkNextPage(client.nextPage(nextPage), number, place);
  // A next page that the total leaves out is still to be read.
  const lastPage = nextPage === '' ? totalPages : Math.max(totalPages, number + 1);
  return { records: data, totalRecords, totalPages: lastPage, requestedAt, receivedAt };
}

/** The next page is never one that was read. */
function checkNextPage({ searchParams }: URL, number: number, place: string): void {
  const next = searchParams.get('page');
  if (next !== null && Number(next) <= number)
    throw badResponseError(`page ${number} with a next page that was before it`, place);
}

function readRecord(feed: FeedName, id: string, { value, place }: Reply): unknown {
  const record = feed === 'timesheets' ? parseShape(singleEnvelope, value, place).data[0] : value;
  if (readId(record) !== id) throw badResponseError('another record than the one asked for', place);
  return record;
}

/** Ids of all records of a list. Throws `SourceError` unless it was seen whole. */
async function readIds(client: SourceClient, list: PagedList): Promise<readonly string[]> {
  const ids = new Set<string>();
  const totals = new Set<number>();
  for (let number = 1, last = 1; number <= last; number += 1) {
    const { records, totalPages, totalRecords } = await readPage(client, list, number);
    last = totalPages;
    totals.add(totalRecords);
    for (const record of records) {
      const id = readId(record);
      if (id === null) throw badResponseError('a timesheet without an id', list.path);
      ids.add(id);
    }
  }
  if (totals.size > 1 || !totals.has(ids.size)) throw badResponseError('a list that moved', list.path);
  return [...ids];
}
