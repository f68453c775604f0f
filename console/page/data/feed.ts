import { signal } from '@preact/signals';
import type { Line, LineFilter } from '../../routes/lines.ts';
import type { Overview, Status } from '../../routes/overview.ts';
import { PATHS, STREAM_EVENTS } from '../../routes/paths.ts';
import { ApiError, api, toAddress } from './api.ts';
import { mergeLines } from './merge-lines.ts';

const PAGE_LINES = 300;
/** What is held in the browser; older lines are asked for again. */
const MAX_LINES = 60_000;
/** New lines are shown together, so that a burst costs one drawing. */
const SHOW_EVERY_MS = 200;
const RETRY_MS = 1_000;

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'denied';

/** How the page is connected with the server of the console. */
export const connection = signal<ConnectionState>('connecting');
export const overview = signal<Overview | null>(null);
export const status = signal<{ readonly value: Status; readonly receivedAt: number } | null>(null);

/** The lines of the live screen, in the order of the log. */
export const lines = signal<readonly Line[]>([]);
/** Where earlier lines begin; null when there are none. */
export const earlier = signal<string | null>(null);
export const listing = signal<'loading' | 'ready' | string>('loading');
/** Counts every change that arrives: what is shown elsewhere may be old then. */
export const arrivals = signal(0);

interface Wanted {
  readonly filter: LineFilter;
  /** Only what was committed until then; null to follow the log. */
  readonly until: string | null;
}

let wanted: Wanted | null = null;
let source: EventSource | null = null;
let position: string | null = null;
let waiting: Line[] = [];
let timer: number | null = null;

/** Shows the lines that are wanted from now on. Does nothing when they are shown already. */
export function show(next: Wanted): void {
  if (wanted !== null && JSON.stringify(wanted) === JSON.stringify(next)) return;
  wanted = next;
  lines.value = [];
  earlier.value = null;
  listing.value = 'loading';
  void begin(next);
}

/** Also after the connection was lost and cannot continue. */
async function begin(own: Wanted): Promise<void> {
  disconnect();
  try {
    overview.value ??= await api.overview();
    const answer = await api.events({ ...own.filter, limit: PAGE_LINES, ...toBefore(own.until) });
    if (wanted !== own) return;
    lines.value = answer.lines.toReversed();
    earlier.value = answer.next;
    listing.value = 'ready';
    position = answer.position;
    connect(own);
  } catch (error) {
    if (wanted !== own) return;
    connection.value = isDenied(error) ? 'denied' : 'lost';
    if (isDenied(error)) return;
    listing.value = error instanceof ApiError && error.code !== 'unreachable' ? error.message : listing.value;
    window.setTimeout(() => wanted === own && void begin(own), RETRY_MS);
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'address_needed';
}

/** The next instant: a key of the moment itself sorts after it. */
function toBefore(until: string | null): { readonly before?: string } {
  return until === null ? {} : { before: new Date(Date.parse(until) + 1).toISOString() };
}

function connect(own: Wanted): void {
  disconnect();
  const after = position ?? undefined;
  source = new EventSource(toAddress(PATHS.stream, { ...own.filter, after }));
  source.addEventListener('open', () => {
    connection.value = 'live';
  });
  source.addEventListener(STREAM_EVENTS.status, (event) => {
    position = event.lastEventId;
    status.value = { value: JSON.parse(event.data) as Status, receivedAt: performance.now() };
  });
  source.addEventListener(STREAM_EVENTS.lines, (event) => {
    position = event.lastEventId;
    arrivals.value += 1;
    if (own.until !== null) return;
    waiting.push(...(JSON.parse(event.data) as Line[]));
    if (timer === null) timer = window.setTimeout(showWaiting, SHOW_EVERY_MS);
  });
  source.addEventListener(STREAM_EVENTS.behind, () => void begin(own));
  source.addEventListener('error', () => {
    disconnect();
    connection.value = 'lost';
    window.setTimeout(() => void reconnect(own), RETRY_MS);
  });
}

/** A stream that fails does not say why: another request does. */
async function reconnect(own: Wanted): Promise<void> {
  if (wanted !== own || source !== null) return;
  try {
    overview.value = await api.overview();
    connect(own);
  } catch (error) {
    connection.value = isDenied(error) ? 'denied' : 'lost';
    if (!isDenied(error)) window.setTimeout(() => void reconnect(own), RETRY_MS);
  }
}

function disconnect(): void {
  source?.close();
  source = null;
}

function showWaiting(): void {
  timer = null;
  const merged = mergeLines(lines.value, waiting);
  waiting = [];
  if (merged.length > MAX_LINES) earlier.value = merged[merged.length - MAX_LINES]?.key ?? null;
  lines.value = merged.length > MAX_LINES ? merged.slice(-MAX_LINES) : merged;
}

let isLoadingEarlier = false;

/** Loads the lines before those that are shown. */
export async function loadEarlier(): Promise<void> {
  const own = wanted;
  if (own === null || earlier.value === null || isLoadingEarlier) return;
  isLoadingEarlier = true;
  try {
    const answer = await api.events({ ...own.filter, before: earlier.value, limit: 1_000 });
    if (wanted !== own) return;
    lines.value = mergeLines(lines.value, answer.lines.toReversed());
    earlier.value = answer.next;
  } catch (error) {
    // The connection says so already; scrolling tries again.
    if (isDenied(error)) connection.value = 'denied';
  } finally {
    isLoadingEarlier = false;
  }
}
