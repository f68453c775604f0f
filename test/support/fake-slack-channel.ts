import type { ChatAnswer } from '#shared/people/flow/paced-chat.ts';
import type { SlackBot, SlackPostAnswer } from '#shared/people/flow/post-in-threads.ts';

interface Post {
  readonly ts: string;
  /** Null for a message of the channel. */
  readonly threadTs: string | null;
  readonly text: string;
}

/** A Slack channel as people see it. */
export class FakeSlackChannel {
  readonly posts: Post[] = [];
  /** Given in place of the next answers. */
  readonly refusals: Exclude<ChatAnswer, { readonly outcome: 'taken' }>[] = [];
  #count = 0;

  readonly bot: SlackBot = {
    post: async (payload, threadTs) =>
      this.refusals.shift() ?? this.#post((payload as { readonly text: string }).text, threadTs),
  };

  /** Somebody deletes a message. */
  delete(ts: string): void {
    const at = this.posts.findIndex((post) => post.ts === ts);
    this.posts.splice(at, 1);
  }

  /** The channel with its threads: `+` before a reply. */
  read(): string[] {
    const firsts = this.posts.filter(({ threadTs }) => threadTs === null);
    return firsts.flatMap(({ ts, text }) => [
      text,
      ...this.posts.filter(({ threadTs }) => threadTs === ts).map((reply) => `+ ${reply.text}`),
    ]);
  }

  #post(text: string, threadTs: string | null): SlackPostAnswer {
    this.#count += 1;
    const ts = `100.${this.#count}`;
    // Slack posts a reply to a deleted message into the channel, and says so by what is missing in its answer.
    const found = this.posts.some((post) => post.ts === threadTs) ? threadTs : null;
    this.posts.push({ ts, threadTs: found, text });
    return { outcome: 'taken', ts, threadTs: found };
  }
}
