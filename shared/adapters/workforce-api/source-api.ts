import * as z from 'zod';
import type { NumberPages } from '#shared/core/fetch/page-supply.ts';
import { idOf, type Page, walkPages } from '#shared/core/fetch/pages.ts';
import type { DateRange } from '../../core/dates.ts';
import { SourceError } from '../../core/errors.ts';
import type { FeedName } from '../../core/feeds.ts';
import type { Lookup, SourceApi } from '../../ports/poll.ts';
import { type Query, toPathSegment, withPageNumber } from './addresses.ts';
import type { ListRequest, WorkforceApi } from './api.ts';
import { badResponseError } from './http/failures.ts';
import { createPageSizes } from './page-sizes.ts';
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
    nextPage: z.string(),
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
  'pay-periods': {
    path: '/payperiods',
    readPage: ({ value, place }) => ({ records: parseShape(uncheckedList, value, place), pagination: null }),
    readRecord: ({ value }) => value,
  },
};

export interface SourceApiOptions {
  /** Records in a page, as requested; the source may send another number. */
  readonly pageSize: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The port `SourceApi` on top of a client. */
export function createSourceApi(api: WorkforceApi, { pageSize, now }: SourceApiOptions): SourceApi {
  const sizes = createPageSizes(pageSize);

  /** A walk over timesheets: page 1 settles the page size, the others are requested ahead by number. */
  const walkEnvelopes = ({ path, readPage }: FeedShape, range: DateRange) => {
    let query: Query = {};
    const read = async (list: Partial<ListRequest>): Promise<Page> => {
      const reply = await api.read({ path, query, ...list });
      return { ...readPage(reply), requestedAt: reply.requestedAt, receivedAt: reply.receivedAt };
    };
    const readFirst = () =>
      sizes.settle((size) => {
        query = { dateFrom: range.from, dateTo: range.to, pageSize: size };
        return read({});
      });
    const numberPages: NumberPages<Page> = (nextPage) =>
      withPageNumber(nextPage, 2) === null
        ? null
        : (page, signal) => read({ nextPage: withPageNumber(nextPage, page), signal });
    return walkPages((nextPage) => (nextPage === null ? readFirst() : read({ nextPage })), numberPages);
  };

  /** The one page of a feed that comes whole, requested with its ETag. */
  const walkBareList = ({ path, readPage }: FeedShape) =>
    walkPages(async () => {
      const reply = await api.read({ path, remember: true });
      return { ...readPage(reply), requestedAt: reply.requestedAt, receivedAt: reply.receivedAt };
    });

  return {
    pages: (feed, range) => (range === null ? walkBareList(FEEDS[feed]) : walkEnvelopes(FEEDS[feed], range)),

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

    counts: () => api.counts(),
    learnedPace: () => api.learnedPace(),
    resumePace: (pace) => api.resumePace(pace),
  };
}
