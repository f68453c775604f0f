import { createAddresses, placeOf, type Query } from './addresses.ts';
import { createReader, type Reader, type ReaderOptions, type Reply } from './reader.ts';

export interface ListRequest {
  /** Below `/api/v1`. */
  readonly path: string;
  readonly query?: Query;
  /** From an earlier page of the same list. */
  readonly nextPage?: string | null;
  /** Keeps the answer with its ETag, and sends that the next time. */
  readonly remember?: boolean;
  /** Once it is aborted, no request starts for this list any more; one that is on its way goes on. */
  readonly signal?: AbortSignal;
}

/** Reads lists and single records of one instance as they come. */
export interface ListReader extends Omit<Reader, 'read'> {
  /** The answer of an operation, unchecked, for callers that check record by record. Throws `SourceError`. */
  read(list: ListRequest): Promise<Reply & { readonly place: string }>;
}

export interface ListReaderOptions extends ReaderOptions {
  /** With or without trailing slash and `/api/v1`; with the path prefix of the instance, if it has one. */
  readonly baseUrl: string;
}

/** Sends nothing until something is read. Throws `NotifierError` `base_url_invalid`. */
export function createListReader(options: ListReaderOptions): ListReader {
  const addresses = createAddresses(options.baseUrl);
  const reader = createReader(options);
  return {
    ...reader,
    async read({ path, query, nextPage, remember = false, signal }) {
      const list = addresses.operation(path, query);
      const url = typeof nextPage === 'string' ? addresses.nextPage(nextPage, list) : list;
      return { ...(await reader.read(url, { remember, signal })), place: placeOf(url) };
    },
  };
}
