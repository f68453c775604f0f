import type { ChatKind } from '#shared/config/schema/chat-kind.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { BatchResult, OutcomeLine, QueueMessage } from '#shared/flow/system.ts';
import { ChatDeliverer, type ChatPorts } from '#shared/people/flow/deliver-chat.ts';
import type { ChatAnswer } from '#shared/people/flow/paced-chat.ts';
import type { SlackPostAnswer } from '#shared/people/flow/post-in-threads.ts';
import type { Message } from '#shared/people/message.ts';
import { message } from '#test/shared/people/sample-message.ts';
import { crashable } from '#test/support/crashable.ts';
import { createMemoryDeliveryStore } from '#test/support/memory-delivery-store.ts';
import { createMemoryThreadStore } from '#test/support/memory-thread-store.ts';

export const START = Date.parse('2026-11-15T21:02:05.000Z');
type Call = 'load' | 'save' | 'giveUp' | 'loadThread' | 'saveThread';

/** How a process of a channel may die. */
export type CrashPlan = Parameters<typeof crashable>[1];

/** One channel in virtual time; a timer rings a millisecond early. What tests change is public. */
export class ChatStage {
  /** What was asked of the chat, with the second. */
  readonly asked: string[] = [];
  /** The posts of a channel with a bot. */
  readonly posts: { readonly ts: string; readonly threadTs: string | null; readonly text: string }[] = [];
  /** Given in place of the next answers. */
  readonly answers: (ChatAnswer | Error)[] = [];
  readonly lines: OutcomeLine[] = [];
  readonly deliveryStore = createMemoryDeliveryStore();
  readonly expiry: number[] = [];
  /** Ids of messages that were given up. */
  readonly dead: string[] = [];
  now = START;
  budgetMs = 58_000;
  failing: Call | null = null;
  plan: CrashPlan | null = null;
  readonly #threads = createMemoryThreadStore();
  readonly #kind: ChatKind | 'bot';
  #deliverer: ChatDeliverer | null = null;
  #count = 0;

  constructor(kind: ChatKind | 'bot' = 'slack') {
    this.#kind = kind;
  }

  async deliver(...given: readonly (Message | QueueMessage)[]): Promise<BatchResult> {
    const messages = given.map((each, at) =>
      'body' in each ? each : { id: `queue-${at + 1}`, body: JSON.stringify(each), attributes: {} },
    );
    const kind = this.#kind === 'bot' ? 'slack' : this.#kind;
    // One that may die is a process of its own.
    if (this.plan !== null) this.#deliverer = null;
    this.#deliverer ??= new ChatDeliverer({ kind, channel: 'payroll', retentionDays: 3 }, this.#ports());
    return await this.#deliverer.deliver({ messages, deadline: this.now + this.budgetMs });
  }

  /** Somebody deletes a message. */
  delete(ts: string): void {
    this.posts.splice(
      this.posts.findIndex((post) => post.ts === ts),
      1,
    );
  }

  /** The channel with its threads: `+` before a reply. */
  read(): string[] {
    const firsts = this.posts.filter(({ threadTs }) => threadTs === null);
    return firsts.flatMap(({ ts, text }) => [
      text,
      ...this.posts.filter(({ threadTs }) => threadTs === ts).map((reply) => `+ ${reply.text}`),
    ]);
  }

  #ports(): ChatPorts {
    const { plan } = this;
    const wrap = <Port extends object>(port: Port) => (plan === null ? port : crashable(port, plan));
    return {
      chat: { post: async (payload) => this.#answer(payload) ?? { outcome: 'taken' } },
      ...(this.#kind === 'bot' ? { threads: { bot: wrap(this.#bot), store: wrap(this.#threadStore) } } : {}),
      deliveryStore: wrap({
        load: async (...key) => {
          this.#failAt('load');
          return await this.deliveryStore.load(...key);
        },
        save: async (delivery, expiresAt) => {
          this.#failAt('save');
          this.expiry.push(expiresAt);
          await this.deliveryStore.save(delivery, expiresAt);
        },
      }),
      deadLetters: {
        giveUp: async ({ id }) => {
          this.#failAt('giveUp');
          this.dead.push(id);
        },
      },
      clock: { now: () => this.now },
      sleep: async (milliseconds) => {
        this.now += Math.max(1, milliseconds - 1);
      },
      telemetry: { report: (line) => void this.lines.push(line) },
    };
  }

  #answer(payload: unknown): ChatAnswer | undefined {
    const { text = JSON.stringify(payload) } = payload as { readonly text?: string };
    this.asked.push(`${(this.now - START) / 1_000} s: ${text}`);
    const answer = this.answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  }

  readonly #bot = {
    post: async (payload: object, threadTs: string | null): Promise<SlackPostAnswer> => {
      const answer = this.#answer(payload);
      if (answer !== undefined && answer.outcome !== 'taken') return answer;
      this.#count += 1;
      const ts = `100.${this.#count}`;
      // Slack posts a reply to a deleted message into the channel, and says so by what is missing in its answer.
      const found = this.posts.some((post) => post.ts === threadTs) ? threadTs : null;
      this.posts.push({ ts, threadTs: found, text: (payload as { readonly text: string }).text });
      return { outcome: 'taken', ts, threadTs: found };
    },
  };

  readonly #threadStore = {
    load: async (thread: string) => {
      this.#failAt('loadThread');
      return await this.#threads.load(thread);
    },
    save: async (...given: Parameters<ReturnType<typeof createMemoryThreadStore>['save']>) => {
      this.#failAt('saveThread');
      await this.#threads.save(...given);
    },
  };

  #failAt(call: Call): void {
    if (this.failing === call) throw new NotifierError('store_failed', 'no', { retryable: true });
  }
}

/** Messages whose only word is their number. */
export function numbered(...numbers: readonly number[]): Message[] {
  return numbers.map((number) =>
    message({ id: `id-${number}`, heading: String(number), lines: [], at: START - 5_000 }),
  );
}
