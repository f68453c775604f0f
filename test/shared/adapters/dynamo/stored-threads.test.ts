import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createThreadStore } from '#shared/adapters/dynamo/alerts/thread-store.ts';
import type { Alert } from '#shared/core/alerts/alert.ts';
import type { Thread } from '#shared/core/alerts/threads/thread.ts';
import type { ThreadNews, Told } from '#shared/core/alerts/threads/thread-news.ts';
import { ALERT, EXPIRES_AT } from '#test/fixtures/stored-formats/samples.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

/** What the first version stored that has threads in Slack. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/7-threads/items.json';
const AT = Date.parse('2026-03-09T10:00:00.000Z');
const TOLD: Told = {
  item: '1001_7',
  headline: 'Käthe, Thu 5 Mar: 7.5 to 8 h (+0.5)',
  line: 'Käthe, Thu 5 Mar: 7.5 to 8 h (+0.5).',
  strong: ['Käthe'],
  url: 'https://time.acme.example/1001_7',
  at: AT,
  timeZone: 'Pacific/Auckland',
  ends: false,
  story: {
    who: 'Käthe, Thu 5 Mar',
    place: null,
    hoursBefore: 7.5,
    hours: 8,
    changes: [],
    step: null,
    late: ['close'],
    approved: true,
    processed: false,
  },
  words: 'Look: {sentence}',
};
const NEWS: ThreadNews = {
  topic: 'period#acme#9_7',
  latest: { ...TOLD, item: '9_7' },
  before: [TOLD],
  left: 2,
};
const THREAD: Thread = {
  ...NEWS,
  ts: '1773050400.000100',
  details: {
    lines: ['Kitchen: 3 of 212 not approved', 'Käthe: Thu 5 Mar 8 h'],
    inner: [false, true],
    links: [null, 'https://time.acme.example/1001_7'],
    strong: { title: ['Weekly'], lines: [['Kitchen'], []] },
  },
  known: ['m-1', 'm-2'],
  posted: ['m-1'],
  isStale: true,
};
const TROUBLE: Alert = {
  ...ALERT,
  trouble: { type: 'workforce.source.unreachable', item: 'timesheets' },
  closedPeriods: ['9_7'],
};
const SEALED = {
  message: {
    ...{ id: 'm-3', title: 'Two.', lines: ['One.', 'Two.'], more: 0, urgent: false },
    ...{ at: AT, timeZone: 'Pacific/Auckland', thread: NEWS, heads: [NEWS] },
  },
  alertIds: ['e-9'],
  ownedUntil: AT,
};

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

describe('stored threads', () => {
  test('of the first version are read as they were, and what is to go into them', async () => {
    await putItems(dynamo, JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[]);
    const { threads, alerts } = createStores();
    expect(await threads.load(THREAD.topic)).toEqual({ thread: THREAD, revision: 1 });
    expect(await alerts.open('payroll', 10)).toEqual({ revision: 1, waiting: [TROUBLE], sealed: [SEALED] });
  });

  test('are written in that form', async () => {
    const written = await startEmbeddedDynamo();
    const { threads, alerts } = createStores(written);
    await threads.save(THREAD, { expectedRevision: null, expiresAt: EXPIRES_AT });
    await alerts.add('payroll', [TROUBLE], EXPIRES_AT);
    await alerts.seal('payroll', null, [SEALED]);
    const items = await readItems(written);
    await written.stop();
    expect(items).toEqual(JSON.parse(readFileSync(FIXTURE, 'utf8')));
  });
});

function createStores(engine = dynamo) {
  const table = { ...engine, sleep: async () => {}, random: () => 0 };
  return {
    threads: createThreadStore({ ...table, channel: 'payroll' }),
    alerts: createAlertStore({ ...table, destinations: new Map([['payroll', 'slack/payroll']]) }),
  };
}
