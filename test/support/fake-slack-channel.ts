import type { ChatAnswer } from '#shared/alerts/flow/paced-chat.ts';
import type { SlackBot, SlackPostAnswer } from '#shared/threads/flow/thread-heads.ts';

interface Post {
  readonly ts: string;
  /** Null for a message of the channel. */
  readonly threadTs: string | null;
  readonly isShown: boolean;
  text: string;
}

/** An answer that is given in place of the next one. */
type Refusal = Exclude<ChatAnswer, { readonly outcome: 'taken' }>;

/** A Slack channel as people see it. What Slack documents not, it does as was seen: see ADR 25. */
export class FakeSlackChannel {
  readonly posts: Post[] = [];
  readonly calls: string[] = [];
  /** Given in place of the next answers, by method. */
  readonly refusals: Record<'post' | 'update', Refusal[]> = { post: [], update: [] };
  #count = 0;

  readonly bot: SlackBot = {
    post: async (payload, { threadTs, isShownInChannel }) => {
      this.calls.push('post');
      const refusal = this.refusals.post.shift();
      return refusal ?? this.#post(readHeading(payload), threadTs, isShownInChannel);
    },
    update: async (ts, payload) => {
      this.calls.push('update');
      const refusal = this.refusals.update.shift();
      if (refusal !== undefined) return refusal;
      const post = this.posts.find((each) => each.ts === ts);
      if (post === undefined) return { outcome: 'refused', reason: 'message_not_found' };
      post.text = readHeading(payload);
      return { outcome: 'taken' };
    },
  };

  /** Somebody deletes a message. */
  delete(ts: string): void {
    const at = this.posts.findIndex((post) => post.ts === ts);
    this.posts.splice(at, 1);
  }

  /** The channel with its threads: `+` before a reply, `+#` before one that is shown in the channel, too. */
  read(): string[] {
    const heads = this.posts.filter(({ threadTs }) => threadTs === null);
    return heads.flatMap(({ ts, text }) => [
      text,
      ...this.posts
        .filter(({ threadTs }) => threadTs === ts)
        .map((reply) => `${reply.isShown ? '+#' : '+'} ${reply.text}`),
    ]);
  }

  #post(text: string, threadTs: string | null, isShown: boolean): SlackPostAnswer {
    this.#count += 1;
    const ts = `100.${this.#count}`;
    // Slack posts a reply to a deleted message into the channel, and says so by what is missing in its answer.
    const found = this.posts.some((post) => post.ts === threadTs) ? threadTs : null;
    this.posts.push({ ts, threadTs: found, isShown, text });
    return { outcome: 'taken', ts, threadTs: found };
  }
}

/** The heading, or the text of a message without one. */
function readHeading(payload: object): string {
  const { blocks = [], text = '' } = payload as {
    blocks?: { type: string; text?: { text: string } }[];
    text?: string;
  };
  return blocks.find(({ type }) => type === 'header')?.text?.text ?? text;
}
