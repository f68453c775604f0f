import { computed, signal } from '@preact/signals';
import { download, toAddress } from './api.ts';

/** The list that a page is kept beside. It is not in the address, which names that page alone. */
interface List {
  readonly address: string;
  readonly visit: string;
  /** Entries of the history since it was left. */
  readonly depth: number;
}

/** Where the page is: every screen, filter and moment has an address. */
interface Entry {
  readonly url: URL;
  /** Differs for each visit of an address; going back to one gives its name again. */
  readonly visit: string;
  readonly list: List | null;
}

function readEntry(): Entry {
  const { visit = 'first', list = null } = (window.history.state ?? {}) as Partial<Entry>;
  return { url: new URL(window.location.href), visit, list };
}

const entry = signal(readEntry());

window.addEventListener('popstate', () => {
  entry.value = readEntry();
});

export type Screen = 'live' | 'person' | 'record' | 'periods' | 'deliveries' | 'none';

export interface Place {
  readonly screen: Screen;
  /** Of the record or the pay period that the address names; of a person, after the connection. */
  readonly id: string | null;
  readonly query: URLSearchParams;
  /** Id of the event that it points to. */
  readonly event: string | null;
  readonly visit: string;
}

const SCREENS: Readonly<Record<string, Screen>> = {
  '': 'live',
  people: 'person',
  records: 'record',
  periods: 'periods',
  deliveries: 'deliveries',
};

/** What fills the page, or its larger part: the list, where one is kept. */
export const place = computed<Place>(() => {
  const { url, visit, list } = entry.value;
  return list === null ? toPlace(url, visit) : toPlace(new URL(list.address, url), list.visit);
});

/** What is beside the list; null when nothing is. */
export const beside = computed<Place | null>(() => {
  const { url, visit, list } = entry.value;
  return list === null ? null : toPlace(url, visit);
});

function toPlace({ pathname, searchParams, hash }: URL, visit: string): Place {
  const [, first = '', ...rest] = pathname.split('/');
  return {
    screen: SCREENS[first] ?? 'none',
    id: decode(rest.join('/')),
    query: searchParams,
    event: decode(hash.slice(1)),
    visit,
  };
}

/** A link that somebody mangled names a record that does not exist. */
function decode(text: string): string | null {
  if (text === '') return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function navigate(to: string): void {
  visit(to, null);
}

function visit(to: string, list: List | null, how: 'pushState' | 'replaceState' = 'pushState'): void {
  window.history[how]({ visit: crypto.randomUUID(), list }, '', to);
  entry.value = readEntry();
}

/** Goes back to the list as it was left. Does nothing where nothing is beside one. */
export function closeBeside(): void {
  const { list } = entry.value;
  if (list !== null) window.history.go(-list.depth);
}

const LISTS: readonly Screen[] = ['live', 'person', 'periods', 'deliveries'];
const KEPT_BESIDE: readonly Screen[] = ['person', 'record'];

/** A person or record that is opened from a list comes beside it, in the place of what was there. */
function follow(link: HTMLAnchorElement): void {
  const to = toAddressOf(link);
  const { url, visit: own, list } = entry.value;
  const isBeside = link.closest('#beside') !== null;
  const isOfList = link.closest('main') !== null && LISTS.includes(place.value.screen);
  if (to === list?.address) closeBeside();
  else if (!(isBeside || isOfList) || !KEPT_BESIDE.includes(toPlace(new URL(link.href), '').screen))
    navigate(to);
  else if (list === null) visit(to, { address: toAddressOf(url), visit: own, depth: 1 });
  else if (isBeside) visit(to, { ...list, depth: list.depth + 1 });
  else visit(to, list, 'replaceState');
}

function toAddressOf({ pathname, search, hash }: URL | HTMLAnchorElement): string {
  return `${pathname}${search}${hash}`;
}

/** Handles a click on a link of the page itself, or to a file; a new tab or another origin stays the browser's. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest('a');
  if (link == null || link.origin !== window.location.origin) return;
  event.preventDefault();
  if (link.hasAttribute('download')) {
    void download(link.href);
    return;
  }
  follow(link);
}

export function toRecordAddress(record: string, connection: string, event?: string): string {
  const path = toAddress(`/records/${encodeURIComponent(record)}`, { connection });
  return event === undefined ? path : `${path}#${event}`;
}

export function toPeriodAddress(id: string, connection: string): string {
  return toAddress(`/periods/${encodeURIComponent(id)}`, { connection });
}

export function toPersonAddress(id: string, connection: string): string {
  return `/people/${encodeURIComponent(connection)}/${encodeURIComponent(id)}`;
}
