import { computed, signal } from '@preact/signals';
import { download, toAddress } from './api.ts';

/** Where the page is: every screen, filter and moment has an address. */
const address = signal(new URL(window.location.href));

window.addEventListener('popstate', () => {
  address.value = new URL(window.location.href);
});

export type Screen = 'live' | 'person' | 'record' | 'periods' | 'deliveries' | 'coverage' | 'none';

export interface Place {
  readonly screen: Screen;
  /** Of the record or the pay period that the address names; of a person, after the connection. */
  readonly id: string | null;
  readonly query: URLSearchParams;
  /** Id of the event that it points to. */
  readonly event: string | null;
}

const SCREENS: Readonly<Record<string, Screen>> = {
  '': 'live',
  people: 'person',
  records: 'record',
  periods: 'periods',
  deliveries: 'deliveries',
  coverage: 'coverage',
};

export const place = computed<Place>(() => {
  const { pathname, searchParams, hash } = address.value;
  const [, first = '', ...rest] = pathname.split('/');
  return {
    screen: SCREENS[first] ?? 'none',
    id: decode(rest.join('/')),
    query: searchParams,
    event: decode(hash.slice(1)),
  };
});

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
  window.history.pushState({ visit: crypto.randomUUID() }, '', to);
  address.value = new URL(window.location.href);
}

/** Differs for each visit of an address; going back to one gives its name again. */
export function readVisit(): string {
  const { visit } = (window.history.state ?? {}) as { readonly visit?: string };
  return visit ?? 'first';
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
  navigate(`${link.pathname}${link.search}${link.hash}`);
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
