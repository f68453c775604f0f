import { NotifierError, SourceError } from '#shared/core/errors.ts';

/** Every operation is below it. */
const API_PATH = '/api/v1';

/** Longer addresses are refused by most servers. */
const MAX_ADDRESS_CHARACTERS = 8_000;

/** Query parameters; those that are `undefined` are not sent. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Addresses of one instance of the source. None of them leads to another host. */
export interface Addresses {
  /** The address of an operation, such as `/timesheets`. */
  operation(path: string, query?: Query): URL;
  /** The address that a `nextPage` means. Throws `SourceError` if it is not within the API. */
  nextPage(nextPage: string): URL;
  /** The address of a path beside the API, such as `/oauth/token`. Throws `SourceError` if it is on another host. */
  beside(path: string): URL;
}

/**
 * Reads a base URL: with or without trailing slash and `/api/v1`, and with a path prefix if the instance has one.
 * Throws `NotifierError` `base_url_invalid`.
 */
export function createAddresses(baseUrl: string): Addresses {
  const { origin, prefix } = parseBaseUrl(baseUrl);
  const api = `${prefix}${API_PATH}`;
  return {
    operation: (path, query = {}) => withQuery(new URL(`${origin}${api}${path}`), query),
    nextPage: (nextPage) => {
      const url = resolveOwnAddress(nextPage, origin, (path) => toApiPath(path, prefix));
      if (url === null || !url.pathname.startsWith(`${api}/`)) throw leadsAwayError('nextPage', api, origin);
      return url;
    },
    beside: (path) => {
      const url = resolveOwnAddress(path, origin, (own) => `${prefix}/${own.replace(/^\/+/, '')}`);
      if (url === null || !url.pathname.startsWith(`${prefix}/`))
        throw leadsAwayError('tokenPath', prefix || '/', origin);
      return url;
    },
  };
}

/** An id as a segment of a path. Throws `SourceError` for one that would change the path. */
export function toPathSegment(id: string): string {
  if (/^\.{0,2}$/.test(id))
    throw new SourceError(
      'source_bad_request',
      `${JSON.stringify(id)} is no id; give one that the source uses`,
    );
  return encodeURIComponent(id);
}

/** The address without its query, for messages. */
export function placeOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function parseBaseUrl(baseUrl: string): { origin: string; prefix: string } {
  const url = URL.parse(baseUrl);
  const usable = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  if (!usable || url.search + url.hash !== '')
    throw new NotifierError(
      'base_url_invalid',
      'baseUrl is not usable; give http or https, a host, and at most a path, without user, query or fragment',
    );
  const path = url.pathname.replace(/\/+$/, '');
  const prefix = path.endsWith(API_PATH) ? path.slice(0, -API_PATH.length) : path;
  return { origin: url.origin, prefix };
}

function withQuery(url: URL, query: Query): URL {
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

/** The address that a path, or an absolute address on the same origin, means; `null` if it is elsewhere. */
function resolveOwnAddress(text: string, origin: string, toPath: (path: string) => string): URL | null {
  // URL parsers read `\` as `/` and skip control characters, so `/\host` is another host.
  if (text.length > MAX_ADDRESS_CHARACTERS || /[\\\p{Cc}]/u.test(text) || text.startsWith('//')) return null;
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(text);
  const url = URL.parse(absolute ? text : `${origin}${toPath(text)}`);
  if (url === null || url.origin !== origin || url.username + url.password !== '') return null;
  return url;
}

/**
 * A `nextPage` path may come with the prefix, with `/api/v1`, with a leading slash, or without any of them; or as a query
 * alone.
 */
function toApiPath(path: string, prefix: string): string {
  const rooted = path.startsWith('/') ? path : `/${path}`;
  if (rooted.startsWith(`${prefix}${API_PATH}/`)) return rooted;
  return rooted.startsWith(`${API_PATH}/`) ? `${prefix}${rooted}` : `${prefix}${API_PATH}${rooted}`;
}

function leadsAwayError(what: string, where: string, origin: string): SourceError {
  return new SourceError(
    'source_redirected',
    `${what} leads away from ${origin}${where}; it was not followed, because only that address may receive the token`,
  );
}
