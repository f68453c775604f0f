import * as z from 'zod';
import type { NumberPages } from '#shared/core/fetch/page-supply.ts';
import { idOf, type Page, type WalkEnd, walkPages } from '#shared/core/fetch/pages.ts';
import type { Lookup, SourceApi } from '#shared/flow/poll/ports.ts';
import type { DateRange } from '../../core/dates.ts';
import { SourceError } from '../../core/errors.ts';
import type { FeedName } from '../../core/feeds.ts';
import { type Query, toPathSegment, withPageNumber } from './addresses.ts';
import { badResponseError } from './http/failures.ts';
import type { ListReader, ListRequest } from './list-reader.ts';
import { createPageSizes, type PageSizes } from './page-sizes.ts';
import type { Reply } from './reader.ts';
import { parseShape, uncheckedList } from './shape.ts';

/**
 * The envelope of a page (docs/source-api.md, Paging) as far as a walk needs it. The records are checked one by one
 * later: a bad one must not make its page bad, and checking each twice costs more than reading it.
 */
const envelopeSchema = z.object({
  data: uncheckedList,
  pagination: z.object({
    page: z.int().min(0),
    pageSize: z.int().min(0),
    totalPages: z.int().min(0),
    totalRecords: z.int().min(0),
    // `null` and no member mean what '' does: no further page. A list that ends too early does not add up.
    nextPage: z
      .string()
      .nullish()
      .transform((path) => path ?? ''),
  }),
});
const singleSchema = z.object({ data: z.tuple([z.unknown()]) });

type UncheckedReply = Reply & { readonly place: string };

/** How a feed is requested, and where in an answer its records are. */
interface FeedShape {
  /** Below `/api/v1`. */
  readonly path: string;
  readonly readPage: (reply: UncheckedReply) => Pick<Page, 'records' | 'pagination'>;
  readonly readRecord: (reply: UncheckedReply) => unknown;
}

const FEEDS: Record<FeedName, FeedShape> = {
  timesheets: {
    path: '/timesheets',
    readPage: ({ value, place }) => {
      const { data, pagination } = parseShape(envelopeSchema, value, place);
      return { records: data, pagination };
    },
    readRecord: ({ value, place }) => parseShape(singleSchema, value, place).data[0],
  },
  'pay-periods': bareList('/payperiods'),
  employees: bareList('/employees'),
  departments: bareList('/departments'),
};

/** A list that comes whole, without an envelope. */
function bareList(path: string): FeedShape {
  return {
    path,
    readPage: ({ value, place }) => ({ records: parseShape(uncheckedList, value, place), pagination: null }),
    readRecord: ({ value }) => value,
  };
}

export interface SourceApiOptions {
  /** Records in a page, as requested; the source may send another number. */
  readonly pageSize: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The port `SourceApi` on top of a client. */
export function createSourceApi(api: ListReader, { pageSize, now }: SourceApiOptions): SourceApi {
  const sizes = createPageSizes(pageSize, now);
  return {
    pages: (feed, range) =>
      range === null ? walkBareList(api, FEEDS[feed]) : walkEnvelopes(api, sizes, { ...FEEDS[feed], range }),

    async lookUp(feed, id): Promise<Lookup> {
      const { path, readRecord } = FEEDS[feed];
      const requestedAt = now();
      let reply: UncheckedReply;
      try {
        reply = await api.read({ path: `${path}/${toPathSegment(id)}` });
      } catch (error) {
        // The only failure that proves an absence (rule 6).
        if (!(error instanceof SourceError && error.status === 404)) throw error;
        return { outcome: 'gone', requestedAt, receivedAt: now() };
      }
      const record = readRecord(reply);
      if (idOf(record) !== id) throw badResponseError('another record than the one asked for', reply.place);
      return { outcome: 'found', record, requestedAt: reply.requestedAt, receivedAt: reply.receivedAt };
    },

    async listMembers(employeeId, payPeriodId) {
      const path = `/employees/${toPathSegment(employeeId)}/timesheets`;
      const { readPage } = FEEDS.timesheets;
      const walk = walkPages(async (nextPage) =>
        toPage(await api.read({ path, query: { payPeriodId }, nextPage }), readPage),
      );
      return await collectIds(walk, path);
    },

    counts: api.counts,
    learnedPace() {
      const pace = api.learnedPace();
      const { tooLarge } = sizes;
      return pace === null || tooLarge === undefined ? pace : { ...pace, tooLarge };
    },
    resumePace(pace) {
      sizes.resume(pace.tooLarge);
      api.resumePace(pace);
    },
  };
}

/** A walk over timesheets: page 1 shows the page size, the others are requested ahead by number. */
function walkEnvelopes(
  api: ListReader,
  sizes: PageSizes,
  { path, readPage, range }: FeedShape & { readonly range: DateRange },
) {
  let query: Query = {};
  const read = async (list: Partial<ListRequest>) =>
    toPage(await api.read({ path, query, ...list }), readPage);
  const readFirst = async () => {
    const first = await sizes.learn(async (size) => {
      const asked = { dateFrom: range.from, dateTo: range.to, pageSize: size };
      return { page: await read({ query: asked }), query: asked };
    });
    query = first.query;
    return first.page;
  };
  const numberPages: NumberPages<Page> = (nextPage) =>
    withPageNumber(nextPage, 2) === null
      ? null
      : (page, signal) => read({ nextPage: withPageNumber(nextPage, page), signal });
  return walkPages((nextPage) => (nextPage === null ? readFirst() : read({ nextPage })), numberPages);
}

/** Ids of all records of a walk. Throws `SourceError` unless the walk saw the list whole. */
async function collectIds(walk: AsyncGenerator<Page, WalkEnd>, path: string): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (;;) {
    const next = await walk.next();
    if (next.done === true) {
      const { complete, error, problem } = next.value;
      if (complete) return [...ids];
      throw error ?? badResponseError(problem ?? 'a list that moved', path);
    }
    for (const record of next.value.records) {
      const id = idOf(record);
      if (id === null) throw badResponseError('a timesheet without an id', path);
      ids.add(id);
    }
  }
}

/** The one page of a feed that comes whole, requested with its ETag. */
function walkBareList(api: ListReader, { path, readPage }: FeedShape) {
  return walkPages(async () => toPage(await api.read({ path, remember: true }), readPage));
}

function toPage(reply: UncheckedReply, readPage: FeedShape['readPage']): Page {
  const { requestedAt, receivedAt } = reply;
  return { ...readPage(reply), requestedAt, receivedAt };
}
