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

const WITHHELD = {
  ...{ outcome: 'deliveries.withheld', reason: 'untried', receiver: 'webhook-payroll' },
  ...{ events: 5, eventId: FIRST },
};
const UNSUBSCRIBED = {
  ...{ outcome: 'deliveries.withheld', reason: 'unsubscribed', receiver: 'notifier-webhook-payroll' },
  topic: 'notifier-timesheets',
};

describe('what was published forty minutes ago and a webhook wants', () => {
  test.each<[string, number, Partial<Delivery>, object[]]>([
    ['is no trouble when all of it was tried', 0, {}, []],
    ['is trouble when nobody tried it: five messages taken from its queue', 5, {}, [WITHHELD]],
    ['was tried when it was given up', 0, { outcome: 'failed' }, []],
  ])('%s', async (_, withheld, delivery, troubles) => {
    const stage = await createStage();
    stage.commit(40);
    for (const id of IDS.slice(withheld)) stage.deliver(id, delivery);
    expect(await stage.check()).toEqual({ checked: 10, withheld, unsubscribed: 0 });
    expect(stage.troubles()).toEqual(troubles);
  });

  test.each([
    ['is due again', MINUTE_MS, 0],
    ['was due a moment ago', -10 * MINUTE_MS, 0],
    ['was due half an hour ago and is not tried again', -31 * MINUTE_MS, 1],
  ])('and was refused once and %s', async (_, dueIn, withheld) => {
    const stage = await createStage();
    stage.commit(40, TEXTS.slice(0, 1));
    stage.deliver(FIRST, { outcome: 'waiting', nextAt: NOW + dueIn });
    expect(await stage.check()).toMatchObject({ checked: 1, withheld });
  });

  test('may wait for half an hour, and is looked at in two runs', async () => {
    const stage = await createStage();
    stage.commit(29);
    const found = [];
    for (let run = 0; run < 4; run += 1) {
      found.push((await stage.check()).withheld);
      stage.clock.now += 15 * MINUTE_MS;
    }
    expect(found).toEqual([0, 10, 10, 0]);
  });

  test('is looked at until the deadline of the check', async () => {
    const stage = await createStage();
    for (let at = 0; at < 30; at += 1) stage.commit(59 - at);
    expect(await stage.check({}, NOW)).toMatchObject({ checked: 100, withheld: 100 });
  });
});

describe('what a webhook does not want is not looked up', () => {
  test.each([
    ['by its filter', { filter: { connection: ['north'] } }],
    ['yet, since it is new', { name: 'other' }],
    ['yet, since its filter changed', { filter: { connection: ['main'] } }],
    ['while it is paused, nor right afterwards', { paused: true }],
  ])('%s', async (_, change) => {
    const stage = await createStage();
    stage.commit(40);
    expect(await stage.check({ webhooks: [{ ...PAYROLL, ...change }] })).toMatchObject({ checked: 0 });
    if ('paused' in change) expect(await stage.check()).toMatchObject({ checked: 0 });
  });

  test('before it wanted it, and is from then on', async () => {
    const stage = await createStage();
    const webhooks = [{ ...PAYROLL, name: 'other' }];
    await stage.check({ webhooks });
    stage.clock.now += 10 * MINUTE_MS;
    stage.commit(5);
    stage.clock.now += 40 * MINUTE_MS;
    expect(await stage.check({ webhooks })).toMatchObject({ withheld: 10 });
  });
});

test('a subscription that is gone is trouble, and topics are listed once', async () => {
  const stage = await createStage();
  const subscriptions = Array.from({ length: 20 }, () => ({ topicArn: TOPIC, endpoint: QUEUE }));
  expect(await stage.check({ subscriptions })).toMatchObject({ unsubscribed: 0 });
  expect(stage.listed).toEqual([TOPIC]);
  stage.endpoints.delete(QUEUE);
  expect(await stage.check()).toMatchObject({ unsubscribed: 1 });
  expect(stage.troubles()).toEqual([UNSUBSCRIBED]);
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
    commit: (minutesAgo: number, texts: readonly string[] = TEXTS) => {
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
