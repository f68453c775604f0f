import { computed, signal } from '@preact/signals';
import type { Line, LineFilter } from '../../routes/lines.ts';
import type { Overview, Status } from '../../routes/overview.ts';
import { MAX_LISTED, PATHS, type Refusal, STREAM_EVENTS } from '../../routes/paths.ts';
import { ApiError, api, toAddress } from './api.ts';
import { toHeaders, toRefusal } from './session.ts';

/** New lines are shown together, so that a burst costs one drawing. */
const SHOW_EVERY_MS = 200;
const RETRY_MS = 1_000;

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'denied';

/** How the page is connected with the server of the console. */
export const connection = signal<ConnectionState>('connecting');
/** Why the console shows nothing; null while it does. */
export const refusal = signal<Refusal | null>(null);
export const overview = signal<Overview | null>(null);
/** What people call the source, within a sentence. */
export const service = computed(() => overview.value?.serviceName ?? 'the workforce service');
export const status = signal<{ readonly value: Status; readonly receivedAt: number } | null>(null);

/** The lines of the live screen, in the order of the log: the newest. */
export const lines = signal<readonly Line[]>([]);
/** Whether the log has older ones. */
export const hasOlder = signal(false);
export const listing = signal<'loading' | 'ready' | string>('loading');
/** Counts every change that arrives: what is shown elsewhere may be old then. */
export const arrivals = signal(0);

interface Wanted {
  readonly filter: LineFilter;
  /** Only what was committed until then; null to follow the log. */
  readonly until: string | null;
}

let wanted: Wanted | null = null;
let close: (() => void) | null = null;
let waiting: Line[] = [];
let timer: number | null = null;
let retry: number | null = null;

/** Shows the lines that are wanted from now on. Does nothing when they are shown already. */
export function show(next: Wanted): void {
  if (wanted !== null && JSON.stringify(wanted) === JSON.stringify(next)) return;
  wanted = next;
  lines.value = [];
  waiting = [];
  hasOlder.value = false;
  listing.value = 'loading';
  void begin(next);
}

/** Also after the connection was lost. */
async function begin(own: Wanted): Promise<void> {
  disconnect();
  try {
    overview.value = await api.overview();
    if (wanted === own) connect(own);
  } catch (error) {
    fail(error, own);
  }
}

function connect(own: Wanted): void {
  disconnect();
  close = openStream(toAddress(PATHS.stream, own.filter), {
    open: () => void list(own),
    take: (message) => take(message, own),
    // It does not say why: another request does.
    lost: () => fail(null, own),
  });
}

/** Once the stream is open, so that nothing comes between the two; what is in both is shown once. */
async function list(own: Wanted): Promise<void> {
  try {
    const answer = await api.events({ ...own.filter, ...toBefore(own.until) });
    if (wanted !== own) return;
    hasOlder.value = answer.next !== null;
    add(answer.lines);
    listing.value = 'ready';
    connection.value = 'live';
  } catch (error) {
    fail(error, own);
  }
}

/** Tries again, unless the console refused: that is shown from then on. */
function fail(error: unknown, own: Wanted): void {
  if (wanted !== own) return;
  disconnect();
  const refused = error instanceof ApiError ? toRefusal(error.code) : null;
  if (refused !== null) {
    refusal.value ??= refused;
    connection.value = 'denied';
    return;
  }
  connection.value = 'lost';
  if (error instanceof ApiError && error.code !== 'unreachable') listing.value = error.message;
  retry = window.setTimeout(() => void begin(own), RETRY_MS);
}

/** The next instant: a key of the moment itself sorts after it. */
function toBefore(until: string | null): { readonly before?: string } {
  return until === null ? {} : { before: new Date(Date.parse(until) + 1).toISOString() };
}

function take({ event, data }: StreamMessage, own: Wanted): void {
  if (event === STREAM_EVENTS.status) {
    status.value = { value: JSON.parse(data) as Status, receivedAt: performance.now() };
    return;
  }
  arrivals.value += 1;
  if (own.until !== null) return;
  waiting.push(...(JSON.parse(data) as Line[]));
  if (timer === null) timer = window.setTimeout(showWaiting, SHOW_EVERY_MS);
}

function disconnect(): void {
  close?.();
  close = null;
  if (retry !== null) window.clearTimeout(retry);
  retry = null;
}

function showWaiting(): void {
  timer = null;
  add(waiting);
  waiting = [];
}

/** A line may be listed and come in the stream too. */
function add(more: readonly Line[]): void {
  const byKey = new Map([...lines.value, ...more].map((line) => [line.key, line]));
  const all = [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  if (all.length > MAX_LISTED) hasOlder.value = true;
  lines.value = all.slice(-MAX_LISTED);
}

/** A message of the stream of server-sent events. */
interface StreamMessage {
  readonly event: string;
  readonly data: string;
}

interface StreamListener {
  open(): void;
  take(message: StreamMessage): void;
  /** It ended, or was never there. Not called once it is closed. */
  lost(): void;
}

/** Reads server-sent events. Not an `EventSource`: that sends no header. Returns what closes it. */
function openStream(address: string, listener: StreamListener): () => void {
  const aborter = new AbortController();
  const lose = () => {
    if (!aborter.signal.aborted) listener.lost();
  };
  read(address, aborter.signal, listener).then(lose, lose);
  return () => aborter.abort();
}

async function read(address: string, signal: AbortSignal, { open, take }: StreamListener): Promise<void> {
  const response = await fetch(address, { headers: toHeaders(), signal });
  if (!response.ok || response.body === null) return;
  open();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ; ) {
    const { done, value = '' } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (!signal.aborted) take(parse(part));
  }
}

function parse(text: string): StreamMessage {
  const lines = text.split('\n');
  const find = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : [])).join('\n');
  return { event: find('event'), data: find('data') };
}
