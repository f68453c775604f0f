import { beforeEach, describe, expect, test } from 'vitest';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { eventSchema } from '#shared/core/events/event-schemas.ts';
import type { Page, WalkEnd } from '#shared/core/fetch/pages.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import { poll } from '#shared/flow/poll.ts';
import type { EventPublisher, SnapshotStore, SourceApi } from '#shared/ports/poll.ts';
import type { OutcomeLine } from '#shared/ports/system.ts';
import { timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';

const DATE = '2026-03-05';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Of one call of the publisher. */
const PUBLISH_MS = 25;
const TIMEOUT_MS = 30_000;
const feed = { connection: 'main', feed: 'timesheets' } as const;

let watch: Watch;
beforeEach(async () => {
  watch = new Watch();
  watch.put('1_1', 0);
  await watch.poll();
});

describe('after a day in which SNS took nothing', () => {
  test('the backlog drains within minutes, each event goes out once, and dates are looked at meanwhile', async () => {
    watch.takes = () => false;
    for (let n = 1; n <= 600; n += 1) {
      watch.put('1_1', n % 10);
      await watch.poll();
    }
    expect(await watch.waitingBatches()).toBe(600);

    watch.takes = () => true;
    watch.published.length = 0;
    for (let n = 0; n < 5; n += 1) {
      const requests = watch.requests;
      await watch.poll();
      expect(watch.requests).toBeGreaterThan(requests);
    }

    expect(await watch.waitingBatches()).toBe(0);
    expect(watch.published.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 600 }, (_, n) => n + 1),
    );
  });

  test('a poll ends in time though the backlog is longer than it, and the next ones go on', async () => {
    watch.takes = () => false;
    for (let n = 1; n <= 400; n += 1) {
      watch.put('1_1', n % 10);
      await watch.poll();
    }
    watch.takes = () => true;
    watch.publishMs = 4_000;
    const polls = [];
    while ((await watch.waitingBatches()) > 0 && polls.length < 20) polls.push(await watch.poll());

    expect(polls.length).toBeGreaterThan(1);
    expect(polls.length).toBeLessThan(10);
    expect(polls[0]?.counts.eventsWaiting).toBeGreaterThan(0);
    expect(polls.at(-1)).toMatchObject({ outcome: 'complete', counts: { eventsWaiting: 0 } });
    // The line that ends the alarm: something waited, and nothing does any more.
    expect(watch.lines.findLast(({ outcome }) => outcome === 'poll.completed')).toMatchObject({
      batchesFound: expect.toSatisfy((count: number) => count > 0),
      eventsWaiting: 0,
    });
  });
});

describe('events that can never be published', () => {
  beforeEach(() => {
    watch.takes = () => false;
    watch.put('1_1', 3);
  });

  test('because they expired are told of once, counted, and do not stop the polls', async () => {
    await watch.poll();
    const committedAt = new Date(watch.now - MINUTE_MS).toISOString().slice(0, 16);
    watch.now += 3 * DAY_MS;
    watch.expired = true;
    watch.takes = () => true;

    const [first, second] = [await watch.poll(), await watch.poll()];

    expect(first).toMatchObject({ outcome: 'complete', counts: { publishFailed: 1 } });
    expect(second).toMatchObject({ outcome: 'complete', counts: { eventsWaiting: 0 } });
    expect(second.counts.publishFailed).toBeUndefined();
    expect(watch.failures()).toEqual([
      {
        feed: 'timesheets',
        reason: 'expired',
        events: 0,
        eventIds: [],
        records: [],
        committedAt: expect.stringContaining(committedAt),
      },
    ]);
    expect(watch.lines).toContainEqual(
      expect.objectContaining({ outcome: 'publish.failed', reason: 'expired', events: 0 }),
    );
    expect(watch.lines).toContainEqual(
      expect.objectContaining({ outcome: 'poll.completed', publishFailed: 1 }),
    );
    expect(await watch.waitingBatches()).toBe(0);
  });

  test('because SNS refuses them are told with their ids, stay in the event log, and later ones pass', async () => {
    watch.takes = () => true;
    watch.refuses = (event) => event.sequence === 1 && event.subject === '1_1';
    await watch.poll();
    watch.put('1_1', 4);
    await watch.poll();
    await watch.poll();

    expect(
      watch.published.filter(({ subject }) => subject === '1_1').map(({ sequence }) => sequence),
    ).toEqual([2]);
    const [failure, ...others] = watch.failures();
    expect(failure).toMatchObject({ reason: 'refused', events: 1, records: ['1_1'] });
    expect(others).toEqual([]);
    expect(await watch.waitingBatches()).toBe(0);
    const logged = await Promise.all(
      [...watch.pointers].map((pointer) => watch.store.readEvents(feed, pointer)),
    );
    expect(logged.flat().join()).toContain(`"id":"${failure?.eventIds}"`);
  });

  test('are not forgotten when the poll that finds them ends before it can say so', async () => {
    watch.takes = () => true;
    watch.refuses = (event) => event.sequence === 1 && event.subject === '1_1';
    watch.savesState = false;
    await expect(watch.poll()).rejects.toThrow('no state');
    watch.savesState = true;

    await watch.poll();

    expect(watch.failures()).toHaveLength(1);
    expect(await watch.waitingBatches()).toBe(0);
  });
});

interface Told {
  readonly type: string;
  readonly subject?: string;
  readonly sequence: number;
  readonly data: { readonly eventIds?: readonly string[] } & Record<string, unknown>;
}

/** A feed that is polled every minute, with what it published. */
class Watch {
  now = Date.parse('2026-03-05T01:00:00Z');
  publishMs = PUBLISH_MS;
  requests = 0;
  expired = false;
  savesState = true;
  takes: (event: Told) => boolean = () => true;
  refuses: (event: Told) => boolean = () => false;
  readonly published: Told[] = [];
  readonly lines: OutcomeLine[] = [];
  readonly pointers = new Set<string>();
  readonly store: SnapshotStore;
  readonly #records = new Map<string, unknown>();
  #polls = 0;

  constructor() {
    const memory = createMemorySnapshotStore();
    this.store = {
      ...memory,
      saveFeedState: async (write) => {
        if (!this.savesState) throw new Error('no state');
        return await memory.saveFeedState(write);
      },
      readEvents: async (of, pointer) => {
        if (this.expired) throw new NotifierError('events_missing', `there are no events under ${pointer}`);
        return await memory.readEvents(of, pointer);
      },
      clearOutbox: async (of, entries) => {
        for (const { pointer } of entries) this.pointers.add(pointer);
        await memory.clearOutbox(of, entries);
      },
    };
  }

  put(id: string, hoursToPay: number): void {
    this.#records.set(id, { ...timesheet({ id, date: DATE }), hoursToPay });
  }

  /** One poll, and on to the next full minute. Fails when it takes longer than a function may. */
  async poll() {
    const startedAt = this.now;
    const connection = connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://source.example',
      timeZone: 'UTC',
      secretName: 'main',
      window: { backDays: 1, forwardDays: 1 },
    });
    this.#polls += 1;
    const report = await poll(
      {
        feed: 'timesheets',
        request: { connection, scope: 'due' },
        runId: `run-${this.#polls}`,
        deadline: startedAt + TIMEOUT_MS - 1_000,
      },
      {
        store: this.store,
        clock: { now: () => this.now },
        telemetry: { report: (line) => void this.lines.push(line) },
        publisher: this.#publisher(),
        source: this.#source(),
      },
    );
    expect(this.now - startedAt).toBeLessThan(TIMEOUT_MS);
    this.now = Math.ceil((this.now + 1) / MINUTE_MS) * MINUTE_MS;
    return report;
  }

  async waitingBatches(): Promise<number> {
    const heads = await this.store.loadHeads(feed, '');
    return heads.reduce((sum, { outbox }) => sum + outbox.length, 0);
  }

  /** The data of every `publish.failed`, which must be as its schema says. */
  failures() {
    const told = this.published.filter(({ type }) => type === 'workforce.publish.failed');
    return told.map((event) => {
      expect(eventSchema('publish.failed').safeParse(event).error).toBeUndefined();
      return event.data;
    });
  }

  #publisher(): EventPublisher {
    return {
      publish: async (texts) => {
        this.now += this.publishMs;
        const events = texts.map((text) => JSON.parse(text) as Told);
        const refused = events.flatMap((event, position) => (this.refuses(event) ? [position] : []));
        const waiting = events.flatMap((event, position) => (this.takes(event) ? [] : [position]));
        const unpublished = [...new Set([...refused, ...waiting])];
        const taken = events.filter((_, position) => !unpublished.includes(position));
        this.published.push(...taken);
        return { published: taken.length, unpublished, refused, requests: 1 };
      },
    };
  }

  #source(): SourceApi {
    return {
      counts: () => ({ requests: this.requests, throttled: 0 }),
      lookUp: () => Promise.reject(new Error('not asked')),
      pages: (_feed, range): AsyncGenerator<Page, WalkEnd> =>
        walkPages(async () => {
          this.requests += 1;
          const requestedAt = this.now;
          this.now += 5;
          const isInRange = range !== null && range.from <= DATE && DATE <= range.to;
          const records = isInRange ? [...this.#records.values()] : [];
          const pagination = {
            page: 1,
            pageSize: 200,
            totalPages: 1,
            totalRecords: records.length,
            nextPage: '',
          };
          return { records, pagination, requestedAt, receivedAt: this.now };
        }),
    };
  }
}
