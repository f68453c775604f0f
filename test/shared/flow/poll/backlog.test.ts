import { beforeEach, describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { DATE, DAY_MS, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const TIMEOUT_MS = 30_000;

let watch: Watch;
beforeEach(async () => {
  watch = new Watch();
  watch.work(0);
  await watch.poll();
});

describe('after a day in which SNS took nothing', () => {
  test('the backlog drains within minutes, each event goes out once, and dates are scanned meanwhile', async () => {
    watch.accepts = () => false;
    for (let n = 1; n <= 600; n += 1) {
      watch.work(n % 10);
      await watch.poll();
    }
    expect(await watch.waitingBatches()).toBe(600);

    watch.accepts = () => true;
    watch.published.length = 0;
    for (let n = 0; n < 5; n += 1) {
      const requests = watch.requests.pages;
      await watch.poll();
      expect(watch.requests.pages).toBeGreaterThan(requests);
    }

    expect(await watch.waitingBatches()).toBe(0);
    expect(watch.published.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 600 }, (_, n) => n + 1),
    );
  });

  test('a poll ends in time though the backlog is longer than it, and the next ones go on', async () => {
    watch.accepts = () => false;
    for (let n = 1; n <= 400; n += 1) {
      watch.work(n % 10);
      await watch.poll();
    }
    watch.accepts = () => true;
    watch.publishMs = 4_000;
    const polls = [];
    while ((await watch.waitingBatches()) > 0 && polls.length < 20) polls.push(await watch.poll());

    expect(polls.length).toBeGreaterThan(1);
    expect(polls.length).toBeLessThan(10);
    expect(polls[0]?.counts.eventsWaiting).toBeGreaterThan(0);
    expect(polls.at(-1)).toMatchObject({ outcome: 'complete', counts: { eventsWaiting: 0 } });
  });
});

describe('events that can never be published', () => {
  beforeEach(() => {
    watch.accepts = () => false;
    watch.work(3);
  });

  test('because they expired are reported once, counted, and do not stop the polls', async () => {
    await watch.poll();
    const committedAt = new Date(watch.now).toISOString().slice(0, 16);
    watch.now += 3 * DAY_MS;
    watch.expired = true;
    watch.accepts = () => true;

    const [first, second] = [await watch.poll(), await watch.poll()];

    expect(first).toMatchObject({ outcome: 'complete', counts: { publishFailed: 1 } });
    expect(second).toMatchObject({ outcome: 'complete', counts: { eventsWaiting: 0 } });
    expect(second.counts.publishFailed).toBeUndefined();
    expect(watch.failures()).toMatchObject([
      {
        ...{ feed: 'timesheets', cause: 'expired', count: 0, about: [] },
        since: expect.stringContaining(committedAt),
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

  test('because SNS refuses them are reported with their ids, stay in the event log, and later ones pass', async () => {
    watch.accepts = () => true;
    watch.refuses = (event) => event.sequence === 1 && event.subject === '1_1';
    await watch.poll();
    watch.work(4);
    await watch.poll();
    await watch.poll();

    expect(
      watch.published.filter(({ subject }) => subject === '1_1').map(({ sequence }) => sequence),
    ).toEqual([2]);
    const [failure, ...others] = watch.failures();
    expect(failure).toMatchObject({ cause: 'refused', count: 1 });
    expect(others).toEqual([]);
    expect(await watch.waitingBatches()).toBe(0);
    const logged = await Promise.all(
      [...watch.pointers].map((pointer) => watch.store.readEvents(TIMESHEETS, pointer)),
    );
    expect(logged.flat().join()).toContain(`"id":"${failure?.about}"`);
  });

  test('are not forgotten when the poll that finds them ends before it can say so', async () => {
    watch.accepts = () => true;
    watch.refuses = (event) => event.sequence === 1 && event.subject === '1_1';
    watch.savesState = false;
    await expect(watch.poll()).rejects.toThrow('no state');
    watch.savesState = true;

    await watch.poll();

    expect(watch.failures()).toHaveLength(1);
    expect(await watch.waitingBatches()).toBe(0);
  });
});

/** A feed that is polled every minute, with what it published. */
class Watch extends PollHarness<SnapshotStore> {
  override publishMs = 25;
  expired = false;
  savesState = true;
  readonly pointers = new Set<string>();

  constructor() {
    const memory = createMemorySnapshotStore();
    super({
      connection: { window: { backDays: 1, forwardDays: 1 } },
      store: memory,
      requestMs: 5,
      pollMs: TIMEOUT_MS - 1_000,
    });
    const { saveFeedState, readEvents, clearOutbox } = memory;
    memory.saveFeedState = async (write) => {
      if (!this.savesState) throw new Error('no state');
      return await saveFeedState(write);
    };
    memory.readEvents = async (of, pointer) => {
      if (this.expired) throw new NotifierError('events_missing', `there are no events under ${pointer}`);
      return await readEvents(of, pointer);
    };
    memory.clearOutbox = async (of, entries) => {
      for (const { pointer } of entries) this.pointers.add(pointer);
      await clearOutbox(of, entries);
    };
  }

  work(hoursToPay: number): void {
    this.put(timesheet({ id: '1_1', date: DATE, hoursToPay }));
  }

  /** Fails when it takes longer than a function may. */
  override async poll() {
    this.nextMinute();
    const startedAt = this.now;
    const report = await super.poll();
    expect(this.now - startedAt).toBeLessThan(TIMEOUT_MS);
    return report;
  }

  async waitingBatches(): Promise<number> {
    const heads = await this.store.loadHeads(TIMESHEETS, '');
    return heads.reduce((sum, { outbox }) => sum + outbox.length, 0);
  }

  /** The data of every trouble of publishing that began, which must be as its schema says. */
  failures() {
    const reported = this.published.filter(
      ({ type, data }) => type === 'workforce.trouble.began' && data.kind === 'publish_failed',
    );
    return reported.map((event) => {
      expect(eventSchema('trouble.began').safeParse(event).error).toBeUndefined();
      return event.data;
    });
  }
}
