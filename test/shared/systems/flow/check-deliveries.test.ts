import { describe, expect, test } from 'vitest';
import { type CheckRequestInput, readCheckRequest } from '#shared/config/requests/check-request.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { LogStretch } from '#shared/flow/event-log.ts';
import type { LogItem } from '#shared/flow/poll/ports.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { findWithheldDeliveries } from '#shared/systems/flow/check-deliveries.ts';
import type { KnownInterest } from '#shared/systems/withheld.ts';
import { exampleEvents } from '#test/support/example-event.ts';

const NOW = Date.parse('2026-11-17T08:00:00.000Z');
const MINUTE_MS = 60_000;
const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:notifier-timesheets';
const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:notifier-webhook-payroll';

/** Ten events of timesheets, of every kind. */
const TEXTS = exampleEvents()
  .map((event) => JSON.stringify(event))
  .filter(
    (text) => text.includes('"source":"/connections/main/timesheets"') && !/baseline|snapshot/.test(text),
  )
  .slice(0, 10);
const IDS = TEXTS.map((text) => (JSON.parse(text) as { id: string }).id);
const [FIRST = ''] = IDS;
const PAYROLL: CheckRequestInput['webhooks'][number] = {
  name: 'payroll',
  topics: ['timesheets'],
  filter: {},
  paused: false,
};
const REQUEST = {
  connections: ['main'],
  webhooks: [PAYROLL],
  subscriptions: [{ topicArn: TOPIC, endpoint: QUEUE }],
} satisfies CheckRequestInput;

describe('what was published and a webhook wants', () => {
  test('is no trouble when all of it was tried', async () => {
    const stage = await createStage();
    stage.commit(40, TEXTS);
    for (const id of IDS) stage.deliver(id);
    expect(await stage.check()).toEqual({ checked: 10, withheld: 0, unsubscribed: 0 });
    expect(stage.troubles()).toEqual([]);
  });

  test('is trouble when nobody tried it for half an hour: five messages taken from its queue', async () => {
    const stage = await createStage();
    stage.commit(40, TEXTS);
    for (const id of IDS.slice(5)) stage.deliver(id);
    expect(await stage.check()).toEqual({ checked: 10, withheld: 5, unsubscribed: 0 });
    expect(stage.troubles()).toEqual([
      {
        outcome: 'deliveries.withheld',
        reason: 'untried',
        receiver: 'webhook-payroll',
        events: 5,
        eventId: FIRST,
      },
    ]);
  });

  test('may wait for half an hour, and is looked at in two runs', async () => {
    const stage = await createStage();
    stage.commit(29, TEXTS);
    const found = [];
    for (let run = 0; run < 4; run += 1) {
      found.push((await stage.check()).withheld);
      stage.clock.now += 15 * MINUTE_MS;
    }
    expect(found).toEqual([0, 10, 10, 0]);
  });

  test.each([
    ['is due again', { nextAt: NOW + MINUTE_MS }, 0],
    ['was due a moment ago', { nextAt: NOW - 10 * MINUTE_MS }, 0],
    ['was due half an hour ago and is not tried again', { nextAt: NOW - 31 * MINUTE_MS }, 1],
  ])('and was refused once and %s', async (_, more, withheld) => {
    const stage = await createStage();
    stage.commit(40, TEXTS.slice(0, 1));
    stage.deliver(FIRST, { outcome: 'waiting', ...more });
    expect(await stage.check()).toMatchObject({ checked: 1, withheld });
  });

  test('was tried when it was given up', async () => {
    const stage = await createStage();
    stage.commit(40, TEXTS.slice(0, 1));
    stage.deliver(FIRST, { outcome: 'failed' });
    expect(await stage.check()).toMatchObject({ checked: 1, withheld: 0 });
  });
});

describe('what a webhook does not want', () => {
  test('by its filter is not looked up', async () => {
    const stage = await createStage();
    stage.commit(40, TEXTS);
    const filter = { connection: ['north'] };
    expect(await stage.check({ webhooks: [{ ...PAYROLL, filter }] })).toMatchObject({
      checked: 0,
    });
  });

  test('is what it did not want yet: a new webhook, and one whose filter or pause has changed', async () => {
    const stage = await createStage();
    stage.commit(40, TEXTS);
    const other = { ...PAYROLL, name: 'other' };
    for (const webhook of [other, { ...PAYROLL, filter: { connection: ['main'] } }])
      expect(await stage.check({ webhooks: [webhook] })).toMatchObject({ checked: 0 });
    stage.clock.now += 10 * MINUTE_MS;
    stage.commit(5, TEXTS);
    stage.clock.now += 40 * MINUTE_MS;
    expect(await stage.check({ webhooks: [other] })).toMatchObject({ withheld: 10 });
  });

  test('is everything while it is paused', async () => {
    const stage = await createStage();
    stage.commit(40, TEXTS);
    const paused = { webhooks: [{ ...PAYROLL, paused: true }] };
    expect(await stage.check(paused)).toMatchObject({ checked: 0 });
    expect(await stage.check()).toMatchObject({ checked: 0 });
  });
});

describe('a subscription of the stack', () => {
  test('that is gone is trouble, by the names of its queue and topic', async () => {
    const stage = await createStage();
    stage.endpoints.delete(QUEUE);
    expect(await stage.check()).toMatchObject({ unsubscribed: 1 });
    expect(stage.troubles()).toEqual([
      {
        outcome: 'deliveries.withheld',
        reason: 'unsubscribed',
        receiver: 'notifier-webhook-payroll',
        topic: 'notifier-timesheets',
      },
    ]);
  });

  test('is looked for with one list of each topic', async () => {
    const stage = await createStage();
    const more = Array.from({ length: 20 }, () => ({ topicArn: TOPIC, endpoint: QUEUE }));
    await stage.check({ subscriptions: more });
    expect(stage.listed).toEqual([TOPIC]);
  });
});

test('a check ends at its deadline with what it has found', async () => {
  const stage = await createStage();
  for (let at = 0; at < 30; at += 1) stage.commit(59 - at, TEXTS);
  expect(await stage.check({}, NOW)).toMatchObject({ checked: 100, withheld: 100 });
});

/** A webhook that has wanted all of it for a day. */
async function createStage() {
  const clock = { now: NOW - 86_400_000 };
  const commits: LogItem[] = [];
  const deliveries = new Map<string, Delivery>();
  const interests = new Map<string, KnownInterest>();
  const endpoints = new Set([QUEUE]);
  const listed: string[] = [];
  const lines: OutcomeLine[] = [];
  const ports = {
    log: { read: readLog },
    deliveryStore: {
      loadMany: async (asked: readonly Pick<Delivery, 'eventId' | 'destination'>[]) =>
        asked.flatMap(({ eventId, destination }) => deliveries.get(`${destination} ${eventId}`) ?? []),
    },
    interests: {
      load: async (webhook: string) => interests.get(webhook) ?? null,
      save: async (webhook: string, interest: KnownInterest) => void interests.set(webhook, interest),
    },
    listEndpoints: async (topicArn: string) => {
      listed.push(topicArn);
      return endpoints;
    },
    clock: { now: () => clock.now },
    telemetry: { report: (line: OutcomeLine) => void lines.push(line) },
  };
  async function* readLog(_: string, { from, to }: LogStretch): AsyncGenerator<LogItem, void> {
    yield* commits.filter(({ committedAt }) => committedAt >= from && committedAt < to);
  }
  const check = async (more: Partial<CheckRequestInput> = {}, deadline = Number.POSITIVE_INFINITY) =>
    await findWithheldDeliveries({ request: readCheckRequest({ ...REQUEST, ...more }), deadline }, ports);
  await check();
  clock.now = NOW;
  lines.length = 0;
  listed.length = 0;
  return {
    ...{ clock, endpoints, listed, check },
    /** Lines but that which ends each check. */
    troubles: () => lines.filter(({ outcome }) => outcome !== 'deliveries.checked'),
    commit: (minutesAgo: number, texts: readonly string[]) => {
      const committedAt = clock.now - minutesAgo * MINUTE_MS;
      commits.push({ key: String(commits.length), topic: 'timesheets', committedAt, texts });
    },
    deliver: (eventId: string, more: Partial<Delivery> = {}) => {
      const destination = 'webhook/payroll';
      const delivered = { outcome: 'delivered', at: clock.now, attempts: 1, detail: null } as const;
      deliveries.set(`${destination} ${eventId}`, { eventId, destination, ...delivered, ...more });
    },
  };
}
