import { ChatDeliverer } from '#shared/alerts/flow/deliver-chat.ts';
import { alertingSchema } from '#shared/config/schema/alerting.ts';
import type { SlackBot, SlackPostAnswer } from '#shared/threads/flow/thread-heads.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';
import { createMemoryThreadStore } from '#test/support/memory-thread-store.ts';
import type { History } from '../history.ts';
import { Random } from '../random.ts';
import { MINUTE_MS } from '../settings.ts';
import { type SentAtNight, tellChannel } from './night.ts';

/** A channel of Slack to which a bot posts, as it looks in the end. */
export interface Threaded {
  /** What it was to be told, in order. */
  readonly sent: readonly SentAtNight[];
  readonly posts: readonly SlackPost[];
  /** By message: how often the function died between a post of it and every note of that. */
  readonly unnoted: ReadonlyMap<string, number>;
}

export interface SlackPost {
  readonly ts: string;
  /** Null for a message of the channel. */
  readonly threadTs: string | null;
  readonly messageId: string;
  /** What it says now, which an update changes: its heading, and everything. */
  heading: string;
  text: string;
  /** Somebody deleted it. */
  isDeleted: boolean;
  /** The last update of it failed, or nobody is left who knows that it waits. */
  isBehind: boolean;
}

const CHANNEL = 'threads';
const BATCH = 3;
const TIME_LIMIT_MS = 58_000;
/** Tries of a batch, of which the first may fail. */
const MAX_TRIES = 40;
const FAILING_TRIES = 15;
/** So often each thing goes wrong. */
const CHANCES = { crash: 0.012, limited: 0.05, deleted: 0.02 } as const;

/** Tells a channel with threads what was published, through a function that dies and a Slack that limits it. */
export async function tellInThreads({ seed, journal, settings }: History): Promise<Threaded> {
  const { name, timeZone } = settings.connection;
  const alerting = alertingSchema.parse({
    connections: [{ name, timeZone }],
    channels: [{ kind: 'slack', name: CHANNEL, secretName: 'acme/slack', channelId: 'C0123456789' }],
  });
  const sent = await tellChannel(journal, alerting);
  const workspace = new Workspace(Random.of(seed, 'threads'));
  for (let next = 0; next < sent.length; next += BATCH)
    await workspace.deliver(sent.slice(next, next + BATCH));
  await workspace.finish();
  return { sent, posts: workspace.posts, unnoted: workspace.unnoted };
}

class Crash extends Error {}

/** The queue of the channel, the function behind it, and Slack. */
class Workspace {
  readonly posts: SlackPost[] = [];
  readonly unnoted = new Map<string, number>();
  readonly #random: Random;
  readonly #threads = createMemoryThreadStore();
  readonly #ledger = createMemoryDeliveryLedger();
  /** The message that is handled: two of them may say the same. */
  #handled = 'nobody';
  #now = 0;
  #deliverer: ChatDeliverer | null = null;
  #isFailing = true;
  #isDead = false;
  /** What was posted and is not noted anywhere yet. */
  #posted: string | null = null;

  constructor(random: Random) {
    this.#random = random;
  }

  async deliver(batch: readonly SentAtNight[]): Promise<void> {
    this.#now = Math.max(this.#now, ...batch.map(({ at }) => at));
    let left = batch.map(({ message }) => ({
      id: message.id,
      body: JSON.stringify(message),
      attributes: {},
    }));
    for (let tries = 0; left.length > 0 && tries < MAX_TRIES; tries += 1) {
      this.#isFailing = tries < FAILING_TRIES;
      const failed = new Set(await this.#invoke(left));
      left = left.filter(({ id }) => failed.has(id));
      this.#now += MINUTE_MS;
    }
    if (this.#random.chance(CHANCES.deleted)) this.#deleteHead();
  }

  /** Heads that were limited are made up for with whatever comes next. */
  async finish(): Promise<void> {
    this.#isFailing = false;
    this.#now += 10 * MINUTE_MS;
    await this.#invoke([]);
  }

  /** Ids of the messages that come again. */
  async #invoke(messages: { id: string; body: string; attributes: object }[]): Promise<readonly string[]> {
    this.#isDead = false;
    this.#posted = null;
    this.#deliverer ??= this.#start();
    const { failed } = await this.#deliverer.deliver({
      messages: messages.map((each) => ({ ...each, attributes: {} })),
      deadline: this.#now + TIME_LIMIT_MS,
    });
    if (!this.#isDead) return failed;
    this.#deliverer = null;
    this.#forgetHeads(messages.map(({ id }) => id));
    if (this.#posted !== null) this.unnoted.set(this.#posted, (this.unnoted.get(this.#posted) ?? 0) + 1);
    return messages.map(({ id }) => id);
  }

  /** A head that waits is known to the process alone, or by its messages that come again, until the next news of its thread. */
  #forgetHeads(again: readonly string[]): void {
    const forgotten = [...this.#threads.all.values()].filter(
      ({ thread }) => thread.isStale && !thread.known.some((id) => again.includes(id)),
    );
    for (const { thread } of forgotten)
      for (const post of this.posts) if (post.ts === thread.ts) post.isBehind = true;
  }

  #start(): ChatDeliverer {
    const threads = this.#threads;
    const ledger = this.#ledger;
    const noting = async <Value>(save: () => Promise<Value>) => {
      const result = await save();
      this.#posted = null;
      return result;
    };
    const clock = { now: () => this.#now };
    return new ChatDeliverer(
      { kind: 'slack', channel: CHANNEL, retentionDays: 90 },
      {
        chat: { post: async () => ({ outcome: 'refused', reason: 'not_used' }) },
        threads: {
          bot: this.#bot(),
          store: {
            load: (topic) => this.#call(() => threads.load(topic)),
            save: (thread, at) => this.#call(() => noting(() => threads.save(thread, at))),
          },
        },
        ledger: {
          load: (id, destination) => {
            this.#handled = id;
            return this.#call(() => ledger.load(id, destination));
          },
          save: (...given) => this.#call(() => noting(() => ledger.save(...given))),
        },
        deadLetters: { giveUp: async () => {} },
        clock,
        sleep: async (milliseconds) => {
          this.#now += milliseconds;
        },
        telemetry: { report: () => {} },
      },
    );
  }

  /** A call of the function, at which it may die before or after its effect; a dead one has no more of them. */
  async #call<Value>(effect: () => Promise<Value>): Promise<Value> {
    if (this.#isDead) throw new Crash('the function died');
    const dies = this.#happens('crash');
    if (dies && this.#random.chance(0.5)) this.#die();
    const value = await effect();
    if (dies) this.#die();
    return value;
  }

  #die(): never {
    this.#isDead = true;
    throw new Crash('the function died');
  }

  #bot(): SlackBot {
    const later = () =>
      ({ outcome: 'later', afterMs: this.#random.between(1, 90) * 1_000, reason: 'limited' }) as const;
    return {
      post: (payload, { threadTs }) =>
        this.#call(async () => (this.#happens('limited') ? later() : this.#post(payload, threadTs))),
      update: (ts, payload) =>
        this.#call(async () => {
          const post = this.posts.find((each) => each.ts === ts);
          const isLimited = this.#happens('limited');
          if (post !== undefined) post.isBehind = isLimited;
          if (isLimited) return later();
          if (post === undefined || post.isDeleted)
            return { outcome: 'refused', reason: 'message_not_found' };
          Object.assign(post, readPayload(payload));
          return { outcome: 'taken' };
        }),
    };
  }

  #post(payload: object, threadTs: string | null): SlackPostAnswer {
    const ts = `100.${this.posts.length + 1}`;
    const messageId = this.#handled;
    // Slack puts a reply to what was deleted into the channel.
    const found = this.posts.some((post) => post.ts === threadTs && !post.isDeleted) ? threadTs : null;
    const said = readPayload(payload);
    this.posts.push({ ts, threadTs: found, messageId, ...said, isDeleted: false, isBehind: false });
    this.#posted = messageId;
    return { outcome: 'taken', ts, threadTs: found };
  }

  #deleteHead(): void {
    const heads = this.posts.filter(({ threadTs, isDeleted }) => threadTs === null && !isDeleted);
    if (heads.length > 0) this.#random.pick(heads).isDeleted = true;
  }

  #happens(kind: 'crash' | 'limited'): boolean {
    return this.#isFailing && this.#random.chance(CHANCES[kind]);
  }
}

function readPayload(payload: object): Pick<SlackPost, 'heading' | 'text'> {
  const { blocks = [] } = payload as { readonly blocks?: readonly { readonly type: string }[] };
  return { heading: textOf(blocks.find(({ type }) => type === 'header')), text: textOf(blocks) };
}

/** All texts of a part of a payload, in order. */
function textOf(part: unknown): string {
  if (Array.isArray(part)) return part.map(textOf).join('\n');
  if (typeof part !== 'object' || part === null) return '';
  const { type, ...rest } = part as Record<string, unknown>;
  const texts = Object.entries(rest).map(([name, value]) =>
    name === 'text' && typeof value === 'string' ? value : textOf(value),
  );
  return texts.filter((text) => text !== '').join('\n');
}
