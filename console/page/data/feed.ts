import { computed, signal } from '@preact/signals';
import type { Line, LineFilter } from '../../routes/lines.ts';
import type { Overview, Status } from '../../routes/overview.ts';
import { PATHS, type Refusal, STREAM_EVENTS } from '../../routes/paths.ts';
import { ApiError, api, toAddress } from './api.ts';
import { toHeaders, toRefusal } from './session.ts';

const PAGE_LINES = 300;
/** What is held in the browser; older lines are asked for again. */
const MAX_LINES = 60_000;
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
let close: (() => void) | null = null;
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
    if (deny(error)) return;
    connection.value = 'lost';
    listing.value = error instanceof ApiError && error.code !== 'unreachable' ? error.message : listing.value;
    window.setTimeout(() => wanted === own && void begin(own), RETRY_MS);
  }
}

/** Whether the console refused, which is shown from then on. */
function deny(error: unknown): boolean {
  const refused = error instanceof ApiError ? toRefusal(error.code) : null;
  if (refused === null) return false;
  refusal.value ??= refused;
  connection.value = 'denied';
  return true;
}

/** The next instant: a key of the moment itself sorts after it. */
function toBefore(until: string | null): { readonly before?: string } {
  return until === null ? {} : { before: new Date(Date.parse(until) + 1).toISOString() };
}

function connect(own: Wanted): void {
  disconnect();
  const after = position ?? undefined;
  close = openStream(toAddress(PATHS.stream, { ...own.filter, after }), {
    open: () => {
      connection.value = 'live';
    },
    take: (message) => take(message, own),
    lost: () => {
      disconnect();
      connection.value = 'lost';
      window.setTimeout(() => void reconnect(own), RETRY_MS);
    },
  });
}

function take({ event, id, data }: StreamMessage, own: Wanted): void {
  if (event === STREAM_EVENTS.behind) {
    void begin(own);
    return;
  }
  position = id;
  if (event === STREAM_EVENTS.status) {
    status.value = { value: JSON.parse(data) as Status, receivedAt: performance.now() };
    return;
  }
  arrivals.value += 1;
  if (own.until !== null) return;
  waiting.push(...(JSON.parse(data) as Line[]));
  if (timer === null) timer = window.setTimeout(showWaiting, SHOW_EVERY_MS);
}

/** A stream that fails does not say why: another request does. */
async function reconnect(own: Wanted): Promise<void> {
  if (wanted !== own || close !== null) return;
  try {
    overview.value = await api.overview();
    connect(own);
  } catch (error) {
    if (deny(error)) return;
    connection.value = 'lost';
    window.setTimeout(() => void reconnect(own), RETRY_MS);
  }
}

function disconnect(): void {
  close?.();
  close = null;
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
    deny(error);
  } finally {
    isLoadingEarlier = false;
  }
}

/** Lines in the order of the log, each once: a line may be listed and come in the stream too. */
function mergeLines(known: readonly Line[], added: readonly Line[]): readonly Line[] {
  if (added.length === 0) return known;
  // Nearly always all of them are later, or all earlier.
  if (isBefore(known.at(-1), added[0]) && isSorted(added)) return [...known, ...added];
  if (isBefore(added.at(-1), known[0]) && isSorted(added)) return [...added, ...known];
  const byKey = new Map(known.map((line) => [line.key, line]));
  for (const line of added) byKey.set(line.key, line);
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function isBefore(left: Line | undefined, right: Line | undefined): boolean {
  return left === undefined || right === undefined || left.key < right.key;
}

function isSorted(lines: readonly Line[]): boolean {
  return lines.every((line, index) => index === 0 || (lines[index - 1]?.key ?? '') < line.key);
}

/** A message of the stream of server-sent events. */
interface StreamMessage {
  readonly event: string;
  readonly id: string;
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
  return { event: find('event'), id: find('id'), data: find('data') };
}
