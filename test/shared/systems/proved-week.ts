import { parseEvent } from '#kit/parse-event.ts';
import { shuffle } from '#kit/testing/shuffle.ts';
import { checkWatermark } from '#kit/watermark.ts';
import { isRecordEvent, type RecordEvent, type WorkforceEvent } from '#kit/workforce-event.ts';
import { type Company, createCompany } from '#local/source/company/company.ts';
import { addDays, toIso, toLocalDate } from '#shared/core/dates.ts';
import type { OutgoingWebhookRequest } from '#shared/systems/flow/webhook-run.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import {
  type Answer,
  CURRENT_SECRET,
  createVerifyingEndpoint,
  WebhookWorld,
} from '#test/support/webhook-world.ts';

const MINUTE_MS = 60_000;
const TIME_ZONE = 'UTC';
const WINDOW = { backDays: 2, forwardDays: 1 };
const SEED = 7;
/** A Monday, at the hour at which each of its days begins. */
export const WEEK_START = Date.parse('2026-03-02T07:00:00Z');

type Watermark = WorkforceEvent<'workforce.feed.complete'>;

/** What a subscriber does with what arrives: by `checkWatermark` alone it says what it lacks. */
export class Subscriber {
  /** Ids of events of records, and of watermarks, that arrived. */
  readonly arrived = new Set<string>();
  /** By feed. */
  readonly #unproved = new Map<string, RecordEvent[]>();
  /** Watermarks of which something is missing, by id. */
  readonly #open = new Map<string, Watermark>();
  /** Up to when nothing is missing, by feed, as the last watermark says that was proved. */
  readonly proved = new Map<string, Watermark>();

  take(message: unknown): void {
    const parsed = parseEvent(message);
    if (parsed.outcome !== 'event') throw new Error(`${parsed.outcome} is no event`);
    const { event } = parsed;
    const isWatermark = event.type === 'workforce.feed.complete';
    if (this.arrived.has(event.id) || !(isWatermark || isRecordEvent(event))) return;
    this.arrived.add(event.id);
    if (isWatermark) this.#open.set(event.id, event);
    else this.#unproved.set(event.source, [...(this.#unproved.get(event.source) ?? []), event]);
  }

  /** Ids of events and of watermarks that it lacks, by the watermarks that it has. */
  findLacking(): string[] {
    const lacking: string[] = [];
    for (const watermark of this.#open.values()) {
      const { source, data } = watermark;
      const { outcome, missing, doubtful, later } = checkWatermark(
        this.#unproved.get(source) ?? [],
        watermark,
      );
      if (doubtful.length > 0) throw new Error('the watermarks of this week list ids');
      lacking.push(...missing);
      const before = data.since?.id;
      const lacksBefore = before !== undefined && !this.arrived.has(before);
      if (lacksBefore) lacking.push(before);
      if (outcome === 'incomplete' || lacksBefore) continue;
      this.#unproved.set(source, [...later]);
      this.#open.delete(watermark.id);
      const proved = this.proved.get(source);
      if (proved === undefined || proved.sequence < watermark.sequence) this.proved.set(source, watermark);
    }
    return lacking.sort();
  }
}

export const RECEIVERS = ['queue', 'webhook'] as const;
export type Receiver = (typeof RECEIVERS)[number];
/** What a receiver does with what comes. */
export type Mood = 'well' | 'paused' | 'revoked' | 'rate limited' | 'down';

interface Published {
  readonly id: string;
  readonly source: string;
  readonly isWatermark: boolean;
  readonly text: string;
}

interface Thief {
  readonly isWatermark: boolean;
  stolen: string;
}

/** A company of a seed, its notifier, and two subscribers that get everything, in virtual time. */
export class ProvedWeek {
  readonly harness: PollHarness;
  readonly subscribers: Readonly<Record<Receiver, Subscriber>> = {
    queue: new Subscriber(),
    webhook: new Subscriber(),
  };
  readonly moods: Record<Receiver, Mood> = { queue: 'well', webhook: 'well' };
  /** Every event of a record and every watermark that was published, in order. */
  readonly published: Published[] = [];
  readonly world = new WebhookWorld({ topics: ['timesheets', 'clockings', 'pay-periods', 'operations'] });
  readonly #company: Company;
  /** Who takes the next message of a kind out of a queue. */
  readonly #thieves = new Map<Receiver, Thief>();
  #queue: string[] = [];
  #requests = 0;
  #messages = 0;
  #routed = 0;

  constructor() {
    this.#company = createCompany({ seed: SEED, size: 6, timeZone: TIME_ZONE, startsAt: WEEK_START });
    this.harness = new PollHarness({
      connection: { timeZone: TIME_ZONE, window: WINDOW, watermark: true },
      startAt: toIso(WEEK_START),
    });
    this.harness.payPeriods = () => this.#company.payPeriods();
    this.world.now = WEEK_START;
    this.world.endpoint = (request, now) => this.#answer(request, now);
  }

  /** Takes the next event of a record, or the next watermark, out of the queue of a receiver. Returns its id, once known. */
  stealFrom(receiver: Receiver, kind: 'event' | 'watermark'): () => string {
    const thief: Thief = { isWatermark: kind === 'watermark', stolen: '' };
    this.#thieves.set(receiver, thief);
    return () => thief.stolen;
  }

  /** The last of each feed. */
  lastWatermarks(): Published[] {
    const watermarks = this.published.filter(({ isWatermark }) => isWatermark);
    return [...Map.groupBy(watermarks, ({ source }) => source).values()].flatMap((each) => each.at(-1) ?? []);
  }

  /** As the command sends it, to one receiver. */
  sendAgain(id: string, receiver: Receiver): void {
    this.#send(this.published.find((each) => each.id === id)?.text ?? '', receiver, true);
  }

  /** Lives for some minutes, polls both feeds, and has everybody take what has come. */
  async live(minutes: number): Promise<void> {
    const { harness } = this;
    harness.now = Math.floor(harness.now / MINUTE_MS) * MINUTE_MS + minutes * MINUTE_MS;
    this.#company.advanceTo(harness.now);
    this.#takeOver();
    for (const feed of ['pay-periods', 'timesheets'] as const) await harness.pollOnce({ feed });
    this.#route();
    await this.#deliver();
  }

  /** What a receiver really lacks of what its own watermarks count, by the order of publication. */
  findTruth(receiver: Receiver): string[] {
    const { arrived } = this.subscribers[receiver];
    const lacking: string[] = [];
    // What it lacks since the last watermark of a feed, which it needs as well; the first follows none.
    const since = new Map<string, string[]>();
    for (const { id, source, isWatermark } of this.published) {
      const hasArrived = arrived.has(id);
      if (isWatermark && hasArrived) lacking.push(...(since.get(source) ?? []));
      if (isWatermark) since.set(source, []);
      if (!hasArrived) since.get(source)?.push(id);
    }
    return lacking.sort();
  }

  #takeOver(): void {
    const { harness } = this;
    const today = toLocalDate(harness.now, TIME_ZONE);
    const records = this.#company.timesheets({
      from: addDays(today, -WINDOW.backDays),
      to: addDays(today, WINDOW.forwardDays),
    });
    const ids = new Set(records.map(({ id }) => id));
    for (const { id } of harness.timesheets) if (!ids.has(id)) harness.remove(id);
    harness.put(...records);
  }

  #route(): void {
    for (const text of this.harness.texts.slice(this.#routed)) {
      const { id, source, type } = JSON.parse(text) as Record<'id' | 'source' | 'type', string>;
      const isWatermark = type === 'workforce.feed.complete';
      const isCounted = /^workforce\.(?:timesheet|pay_period)\./.test(type);
      if (isWatermark || isCounted) this.published.push({ id, source, isWatermark, text });
      for (const receiver of RECEIVERS) {
        const thief = this.#thieves.get(receiver);
        const isStolen = thief?.stolen === '' && (thief.isWatermark ? isWatermark : isCounted);
        if (isStolen) thief.stolen = id;
        else this.#send(text, receiver, false);
      }
    }
    this.#routed = this.harness.texts.length;
  }

  #send(text: string, receiver: Receiver, sentAgain: boolean): void {
    this.#messages += 1;
    if (receiver === 'queue') this.#queue.push(text);
    else {
      this.world.now = Math.max(this.world.now, this.harness.now);
      this.world.publish(text, { sentAgain });
    }
  }

  async #deliver(): Promise<void> {
    const { moods, world, harness, subscribers } = this;
    if (moods.queue === 'well') {
      for (const body of shuffle(this.#queue, { seed: SEED + this.#messages }))
        subscribers.queue.take({ body });
      this.#queue = [];
    }
    if (moods.webhook !== 'paused') await world.run(harness.now);
  }

  #answer(request: OutgoingWebhookRequest, now: number): Answer {
    this.#requests += 1;
    switch (this.moods.webhook) {
      case 'down':
        return 503;
      case 'revoked':
        return 401;
      case 'rate limited':
        if (this.#requests % 3 > 0) return { status: 429, retryAfterMs: MINUTE_MS };
    }
    const answer = VERIFY(request, now);
    if (answer === 204) this.subscribers.webhook.take(request.body);
    return answer;
  }
}

const VERIFY = createVerifyingEndpoint(() => CURRENT_SECRET);
