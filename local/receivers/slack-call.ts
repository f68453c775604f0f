import * as z from 'zod';
import type { MessageLine } from '#shared/terminal/format-message.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';

const callSchema = z.looseObject({
  channel: z.string(),
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
  reply_broadcast: z.boolean().default(false),
});

const METHODS = ['chat.postMessage', 'chat.update'] as const;
type SlackMethod = (typeof METHODS)[number];

export function findSlackMethod(name: string): SlackMethod | undefined {
  return METHODS.find((method) => method === name);
}

interface SlackCall {
  readonly lines: readonly MessageLine[];
  readonly answer: object;
}

/** Digits of the second part of a timestamp of Slack. */
const FRACTION_DIGITS = 6;
let posts = 0;

/** What a Slack user sees of a call of a bot, and what Slack would answer; null for one that it would refuse. */
export function readSlackCall(method: SlackMethod, body: unknown): SlackCall | null {
  const parsed = callSchema.safeParse(body);
  const message = renderSlackMessage(body);
  if (!parsed.success || message === null) return null;
  const { ts, thread_ts, reply_broadcast: isShown } = parsed.data;
  if (method === 'chat.update')
    return ts === undefined ? null : { lines: toHead(message), answer: { ok: true, ts } };
  const answer = { ok: true, ts: nextTimestamp(), message: thread_ts === undefined ? {} : { thread_ts } };
  return { lines: thread_ts === undefined ? message : toReply(message, isShown), answer };
}

function toReply(lines: readonly MessageLine[], isShown: boolean): MessageLine[] {
  const where = isShown ? 'reply in its thread, shown in the channel' : 'reply in its thread';
  return [{ text: where, style: 'dim' }, ...lines];
}

/** The rest of a head repeats what was shown. */
function toHead(lines: readonly MessageLine[]): MessageLine[] {
  const [heading] = lines;
  return [{ text: `head of its thread now: ${heading?.text ?? ''}`, style: 'dim' }];
}

/** Such as `1763942400.000012`: seconds and a number, and none twice. */
function nextTimestamp(): string {
  posts += 1;
  return `${Math.floor(Date.now() / 1_000)}.${String(posts).padStart(FRACTION_DIGITS, '0')}`;
}
