import { describeFailure } from '#shared/core/errors.ts';
import type { Message } from '../message.ts';
import type { ChatAnswer, ChatPace, PacedChat, PostResult } from './paced-chat.ts';

/** What a post through a bot came to. `threadTs`: the thread it went into; null when it stands in the channel. */
export type SlackPostAnswer =
  | { readonly outcome: 'taken'; readonly ts: string; readonly threadTs: string | null }
  | Exclude<ChatAnswer, { readonly outcome: 'taken' }>;

/** A Slack channel that a bot posts to. Never throws for what the other side or the network does. */
export interface SlackBot {
  /** `threadTs`: of the first message of its thread; null for a message of the channel. */
  post(payload: object, threadTs: string | null): Promise<SlackPostAnswer>;
}

/** The first messages of the threads of one channel. */
export interface ThreadStore {
  load(thread: string): Promise<string | null>;
  /** `expiresAt`: when it may be forgotten (ms since 1970). */
  save(thread: string, ts: string, expiresAt: number): Promise<void>;
}

export interface ThreadPorts {
  readonly bot: SlackBot;
  readonly store: ThreadStore;
}

/** Longer than anything changes in a pay period after it was told of first. */
const THREAD_RETENTION_MS = 90 * 86_400_000;

/** Refusals of a reply alone: somebody deleted or locked the thread. */
const THREAD_REFUSALS: readonly string[] = [
  'message_not_found',
  'thread_not_found',
  'cannot_reply_to_message',
  'restricted_action_thread_locked',
];

interface Posting {
  readonly message: Message;
  readonly payload: object;
  readonly deadline: number;
}

/**
 * Posts a message through a bot, into the thread of the first message about its pay period. A crash between the post and
 * the notes of it makes the message appear twice: Slack has no key that would tell.
 */
export async function postInThreads(
  { message, payload, deadline }: Posting,
  { bot, store }: ThreadPorts,
  { chat, ...pace }: ChatPace & { readonly chat: PacedChat },
): Promise<{ readonly result: PostResult; readonly attempts: number }> {
  const { thread } = message;
  const postTo = (threadTs: string | null) => chat.post(message, deadline, () => bot.post(payload, threadTs));
  const threadTs = thread === undefined ? null : await store.load(thread);
  const replied = await postTo(threadTs);
  const isLost = threadTs !== null && isRefusedByThread(replied.answer);
  const { answer, ...sent } = isLost ? await postTo(null) : replied;
  // Slack puts a reply into the channel when somebody deleted the first message: another thread begins there.
  if (thread !== undefined && answer?.outcome === 'taken' && answer.threadTs === null)
    await noteThread({ thread, ts: answer.ts, messageId: message.id }, store, pace);
  return sent;
}

function isRefusedByThread(answer: SlackPostAnswer | null): boolean {
  return answer?.outcome === 'refused' && THREAD_REFUSALS.includes(answer.reason);
}

interface Begun {
  readonly thread: string;
  readonly ts: string;
  readonly messageId: string;
}

/** A failure is only logged: the message was sent, and must not be sent again. */
async function noteThread(
  { thread, ts, messageId }: Begun,
  store: ThreadStore,
  pace: ChatPace,
): Promise<void> {
  const { clock, telemetry, channel } = pace;
  try {
    await store.save(thread, ts, clock.now() + THREAD_RETENTION_MS);
  } catch (error) {
    telemetry.report({ outcome: 'delivery.interrupted', channel, messageId, reason: describeFailure(error) });
  }
}
