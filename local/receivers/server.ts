import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { MessageLine, Receipt, ReceivedEvent } from '#shared/terminal/received.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';
import { readBody, serveOnLoopback } from '../loopback-server.ts';

const MAX_BODY_BYTES = 1024 * 1024;
/** Too many to be guessed by another process of the machine. */
const SECRET_BYTES = 24;

/**
 * A local server that stands in for Slack, for Teams, and for the receivers of webhooks. Its addresses hold a secret of
 * the run, so nothing else that a process of this machine sends is shown.
 */
export interface Receivers {
  /** Of the webhook of a channel; methods of the Web API stand below it, for a bot. */
  slackAddress(channel: string): string;
  teamsAddress(channel: string): string;
  webhookAddress(webhook: string): string;
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  /** Of every webhook. */
  readonly signingSecret: string;
  readonly received: ReceivedIds;
  /** Where requests of webhooks are passed on to, as they came; default: they end here. */
  readonly passOnTo?: string | null;
  /** Settles when the message has been shown; only then is it acknowledged. */
  readonly show: (received: Receipt) => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Default: that it is plain text. */
  readonly headers?: Readonly<Record<string, string>>;
}

const NOT_FOUND: Answer = { status: 404, text: 'no such receiver' };

export async function startReceivers(options: ReceiverOptions): Promise<Receivers> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const { port, stop } = await serveOnLoopback((request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    answer(request, { ...options, secret, gone: gone.signal }).then(
      // Whoever does not answer us does not answer the sender either.
      (result) => (result === null ? response.destroy() : write(response, result)),
      // Not shown, so not acknowledged: the sender retries.
      () => write(response, { status: 500, text: 'could not be shown' }),
    );
  });
  const base = `http://127.0.0.1:${port}/${secret}`;
  const address = (kind: string, name: string) => `${base}/${kind}/${name}`;
  return {
    slackAddress: (channel) => address('slack', channel),
    teamsAddress: (channel) => address('teams', channel),
    webhookAddress: (webhook) => address('webhooks', webhook),
    stop,
  };
}

async function answer(
  request: IncomingMessage,
  { secret, gone, ...options }: ReceiverOptions & { readonly secret: string; readonly gone: AbortSignal },
): Promise<Answer | null> {
  const [given = '', kind, name, ...rest] = (request.url ?? '').slice(1).split('/');
  const [method] = rest;
  if (!isSecret(given, secret)) return NOT_FOUND;
  if (name === undefined || rest.length > (kind === 'slack' ? 1 : 0)) return NOT_FOUND;
  if (request.method !== 'POST') return { status: 405, text: 'only POST' };
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === null) return { status: 413, text: 'too large' };
  switch (kind) {
    case 'slack':
      return method === undefined
        ? takeSlack({ channel: name, body }, options)
        : takeSlackCall({ channel: name, method, body }, options);
    case 'teams':
      return takeTeams({ channel: name, body }, options);
    case 'webhooks':
      return takeWebhook(name, { headers: readHeaders(request), body, gone }, options);
    default:
      return NOT_FOUND;
  }
}

/** Compares in constant time. */
function isSecret(given: string, secret: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function takeSlack(
  { channel, body }: { channel: string; body: string },
  { show }: ReceiverOptions,
): Promise<Answer> {
  const lines = renderSlackMessage(parseJsonOrNull(body));
  if (lines === null) return { status: 400, text: 'invalid_payload' };
  await show({ kind: 'message', channel: `slack #${channel}`, lines });
  return { status: 200, text: 'ok' };
}

const callSchema = z.looseObject({ channel: z.string(), thread_ts: z.string().optional() });
const REPLY: MessageLine = { text: 'reply in the thread of its pay period', style: 'dim' };

/** A call of a bot, answered as the Web API of Slack does. */
async function takeSlackCall(
  { channel, method, body }: { channel: string; method: string; body: string },
  { show }: ReceiverOptions,
): Promise<Answer> {
  if (method !== 'chat.postMessage') return NOT_FOUND;
  const value = parseJsonOrNull(body);
  const call = callSchema.safeParse(value).data;
  const lines = renderSlackMessage(value);
  if (call === undefined || lines === null) return answerCall({ ok: false, error: 'invalid_arguments' });
  const { thread_ts } = call;
  const shown = thread_ts === undefined ? lines : [REPLY, ...lines];
  await show({ kind: 'message', channel: `slack #${channel}`, lines: shown });
  return answerCall({ ok: true, ts: nextTimestamp(), message: { thread_ts } });
}

function answerCall(answer: object): Answer {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, text: JSON.stringify(answer), headers };
}

/** Digits of the second part of a timestamp of Slack. */
const FRACTION_DIGITS = 6;
let posts = 0;

/** Such as `1763942400.000012`: seconds and a number, and none twice. */
function nextTimestamp(): string {
  posts += 1;
  return `${Math.floor(Date.now() / 1_000)}.${String(posts).padStart(FRACTION_DIGITS, '0')}`;
}

/** A workflow accepts a request and posts its card later. */
async function takeTeams(
  { channel, body }: { channel: string; body: string },
  { show }: ReceiverOptions,
): Promise<Answer> {
  const lines = renderTeamsCard(parseJsonOrNull(body));
  if (lines === null) return { status: 400, text: 'TriggerInputSchemaMismatch' };
  await show({ kind: 'message', channel: `teams ${channel}`, lines });
  return { status: 202, text: '' };
}

async function takeWebhook(
  name: string,
  request: SignedRequest & { readonly gone: AbortSignal },
  { signingSecret, received, show, passOnTo = null }: ReceiverOptions,
): Promise<Answer | null> {
  const verdict = checkWebhook(request, signingSecret);
  if (passOnTo !== null) {
    const { did, isRefused, answer } = await passOn(passOnTo, request);
    await show({ kind: 'delivery', webhook: name, did, isRefused, ...describeEvent(verdict) });
    return answer;
  }
  const known = verdict.outcome === 'verified' && !verdict.sentAgain && received.has(name, verdict.id);
  if (known) return { status: 204, text: '' };
  const isRefused = verdict.outcome === 'refused';
  const did = isRefused ? `refused: ${verdict.reason}` : 'took';
  await show({ kind: 'delivery', webhook: name, did, isRefused, ...describeEvent(verdict) });
  if (isRefused) return { status: 401, text: 'not verified' };
  received.add(name, verdict.id);
  return { status: 204, text: '' };
}

function describeEvent(verdict: WebhookVerdict): Pick<ReceivedEvent, 'type' | 'which'> {
  if (verdict.outcome === 'refused') return { type: '', which: '' };
  const { type, subject, sequence, sentAgain, example } = verdict;
  const marks = [sentAgain ? 'sent again' : '', example ? 'example' : ''];
  const parts = [subject, subject === '' ? '' : `sequence ${sequence}`, ...marks];
  return { type, which: parts.filter((part) => part !== '').join(', ') };
}

/** Of a connection, not of a message. */
const OWN_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding'];
/** What a sender looks at besides the status. */
const ANSWERED_HEADERS = ['content-type', 'retry-after', 'location'];

/** Passes a request on to the receiver of a user. Its answer is null without one. */
async function passOn(
  address: string,
  { headers, body, gone }: SignedRequest & { readonly gone: AbortSignal },
): Promise<{ did: string; isRefused: boolean; answer: Answer | null }> {
  const kept = Object.entries(headers).filter(([header]) => !OWN_HEADERS.includes(header));
  const request = { method: 'POST', headers: Object.fromEntries(kept), body, signal: gone };
  try {
    const response = await fetch(address, { ...request, redirect: 'manual' });
    const { status, ok } = response;
    const answered = ANSWERED_HEADERS.flatMap((header) => {
      const value = response.headers.get(header);
      return value === null ? [] : [[header, value] as const];
    });
    const answer = { status, text: await response.text(), headers: Object.fromEntries(answered) };
    return { did: `${ok ? 'took' : 'refused'} (${status})`, isRefused: !ok, answer };
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: unknown } };
    const reason = gone.aborted ? 'in time' : String(cause?.code ?? error);
    return { did: `did not answer (${reason})`, isRefused: true, answer: null };
  }
}

function readHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function write(response: ServerResponse, { status, text, headers }: Answer): void {
  response.writeHead(status, headers ?? { 'content-type': 'text/plain' }).end(text);
}

/** Ids of the events a receiver has seen, kept in a file, to drop repeats. */
export interface ReceivedIds {
  has(receiver: string, id: string): boolean;
  add(receiver: string, id: string): void;
  close(): void;
}

/** Opens the file. Added ids survive a kill of this process. */
export function openReceivedIds(file: string): ReceivedIds {
  const database = new DatabaseSync(file);
  // Survives a kill of the process, not a power cut: an event may then be shown twice.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  database.exec(
    'CREATE TABLE IF NOT EXISTS received (receiver TEXT, id TEXT, PRIMARY KEY (receiver, id)) WITHOUT ROWID',
  );
  const find = database.prepare('SELECT 1 FROM received WHERE receiver = ? AND id = ?');
  const insert = database.prepare('INSERT OR IGNORE INTO received VALUES (?, ?)');
  return {
    has: (receiver, id) => find.get(receiver, id) !== undefined,
    add: (receiver, id) => void insert.run(receiver, id),
    close: () => database.close(),
  };
}

interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The verdict of a receiver on a request. */
type WebhookVerdict =
  | {
      readonly outcome: 'verified';
      /** Event id, for dropping repeats. */
      readonly id: string;
      /** Without the prefix `workforce.`. */
      readonly type: string;
      /** Id of the record; empty for other events. */
      readonly subject: string;
      readonly sequence: number;
      readonly sentAgain: boolean;
      readonly example: boolean;
    }
  | { readonly outcome: 'refused'; readonly reason: string };

/** The parts of an event that the verdict names. */
const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: z.string().default(''),
  sequence: z.number(),
});

/**
 * Checks a request as an independent receiver would, with the Standard Webhooks library, the real time, and no code of
 * the notifier.
 */
function checkWebhook({ headers, body }: SignedRequest, secret: string): WebhookVerdict {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { outcome: 'refused', reason: error.message };
  }
  const event = readEvent(body);
  if (event === null) return { outcome: 'refused', reason: 'the body is not an event' };
  const { id, type, subject, sequence } = event;
  if (headers['webhook-id'] !== id)
    return { outcome: 'refused', reason: 'webhook-id is not the id of the event' };
  return {
    outcome: 'verified',
    id,
    type: type.replace(/^workforce\./, ''),
    subject,
    sequence,
    sentAgain: headers['webhook-sent-again'] === 'true',
    example: headers['webhook-example'] === 'true',
  };
}

function readEvent(body: string): z.output<typeof eventSchema> | null {
  return eventSchema.safeParse(parseJsonOrNull(body)).data ?? null;
}
