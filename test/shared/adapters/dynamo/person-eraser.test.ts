import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChannelStore } from '#shared/adapters/dynamo/channels/channel-store.ts';
import { createPersonEraser } from '#shared/adapters/dynamo/person-eraser.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import type { TableOptions } from '#shared/adapters/dynamo/table.ts';
import type { CountedHours } from '#shared/core/periods/counted-hours.ts';
import type { MemberAnswer } from '#shared/core/periods/members.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { ChannelStore } from '#shared/people/flow/channel-store.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import { EMPTY_COMMIT, hostileRow, NOON, SLICE } from '#test/contracts/store-samples.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { readTableTexts } from '#test/support/table-texts.ts';

const CANARY = '1030_1';
const TIME = { clock: NOON, until: NOON + 90_000, expiresAt: NOON + 86_400_000 };
const PERSON = { connection: 'acme', employeeId: CANARY, name: null, timesheets: new Set(['7_1']) };
const COUNTED: CountedHours[] = [
  ['7_1', 80_000],
  ['8_1', 75_000],
];

let dynamo: EmbeddedDynamo;
let table: TableOptions;
let store: Store;
let channelStore: ChannelStore;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  table = { ...dynamo, sleep: async () => {}, random: () => 0 };
  store = createDynamoStore(table);
  channelStore = createChannelStore({ ...table, destinations: new Map([['payroll', 'slack/payroll']]) });
  await fill('acme');
  await fill('acme-2');
});

afterAll(() => dynamo.stop());

test('a person goes out of the log, counts, answers and waiting events of a connection, and all else stays as it is', async () => {
  const before = await readTableTexts(dynamo);
  const eraser = createPersonEraser(table);
  expect(await eraser.forgetPerson(PERSON)).toBe(4);
  expect(await eraser.forgetPerson(PERSON)).toBe(0);
  const after = await readTableTexts(dynamo);
  const changed = [...after].flatMap(([key, text]) => (text === before.get(key) ? [] : [key]));
  const partitions = changed.map((key) => key.split(' ')[0]);
  expect(partitions.sort()).toEqual(['acme#answers', 'acme#counts', 'acme#log']);
  expect(after.size).toBe(before.size - 1);
  expect(await listWaiting()).toEqual(['acme e-8_1', 'acme-2 e-7_1', 'acme-2 e-8_1']);
  const [item] = await Array.fromAsync(store.readLog('acme', ''));
  expect(item?.texts[0]).toContain('workforce.employee.forgotten');
  expect(item?.texts.slice(1)).toEqual([eventOf('8_1', '1031_1')]);
  expect(await store.loadCount(countOf('acme'))).toEqual([['8_1', 75_000]]);
  expect([...(await store.loadAnswers('acme', '9_7')).keys()]).toEqual(['1031_1']);
  expect([...after].filter(([key]) => key.startsWith('acme#')).join('\n')).not.toContain(CANARY);
});

test('a connection goes whole, and no other', async () => {
  const eraser = createPersonEraser(table);
  const before = [...(await readTableTexts(dynamo)).keys()];
  const own = before.filter((key) => /^acme#|waiting.*#acme e-/.test(key));
  expect(own).toHaveLength(7);
  expect(await eraser.forgetConnection('acme')).toBe(7);
  const left = [...(await readTableTexts(dynamo)).keys()];
  expect(left.sort()).toEqual(before.filter((key) => !own.includes(key)).sort());
  expect(await store.loadState('acme')).toBeNull();
  expect(await store.loadState('acme-2')).not.toBeNull();
});

async function fill(connection: string): Promise<void> {
  const state = await store.takeLease(connection, TIME.until, NOON);
  const lease = { connection, token: state?.token ?? 0 };
  const texts = [eventOf('7_1', CANARY), eventOf('8_1', '1031_1')];
  const waiting = texts.map((text) => toWaiting(text, connection));
  await channelStore.add('payroll', waiting, TIME.expiresAt);
  const buckets = [{ ...SLICE, from: 0, rows: [hostileRow('8_1')] }];
  await store.commit(lease, { ...EMPTY_COMMIT, buckets, log: [{ topic: 'timesheets', texts }] }, TIME);
  await store.commit(lease, { ...EMPTY_COMMIT, log: [{ topic: 'operations', texts: ['{}'] }] }, TIME);
  await store.saveCount(countOf(connection), COUNTED, TIME.expiresAt);
  const answers = new Map([CANARY, '1031_1'].map((id): [string, MemberAnswer] => [id, [NOON, 'all']]));
  await store.saveAnswers(lease, '9_7', { ...TIME, answers });
}

/** The event as one of a connection, which its id names. */
function toWaiting(text: string, connection: string): WaitingEvent {
  const event = { ...JSON.parse(text), connection };
  const id = `${connection} ${event.id}`;
  return { id, text: JSON.stringify(event), at: NOON, delay: 'hour', urgent: false };
}

async function listWaiting(): Promise<string[]> {
  return (await channelStore.open('payroll', 10)).waiting.map(({ id }) => id).sort();
}

function countOf(connection: string) {
  return { connection, payPeriodId: '9_7', name: 'a' };
}

function eventOf(subject: string, employeeId: string): string {
  return JSON.stringify({
    ...{ id: `e-${subject}`, source: '/connections/acme/timesheets', type: 'workforce.timesheet.changed' },
    ...{ subject, time: '2026-03-05T12:00:00.000Z', connection: 'acme', epoch: '5', sequence: 1 },
    data: { employeeId, current: { employeeId } },
  });
}
