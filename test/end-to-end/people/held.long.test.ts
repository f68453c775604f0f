import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { eventually } from '#test/support/eventually.ts';
import { make, startCompany, TODAY, WATCHED } from '../company.ts';
import { type PeopleOptions, type PeopleStage, startPeopleStage, synthesizePeople } from './stage.ts';

/** Held alerts and retries, in simulated time and after restarts. */

const HOUR_MS = 3_600_000;
/** From 11:00 to 21:00, in the quiet hours of one channel, and to 07:30, after them. */
const TONIGHT_MS = 10 * HOUR_MS;
const TOMORROW_MS = 20.5 * HOUR_MS;

let source: RunningSource;
const stages: PeopleStage[] = [];
const closes: (() => void)[] = [];

beforeAll(() => synthesizePeople());

beforeEach(async () => {
  source = await startCompany();
});

afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.stop();
  for (const close of closes.splice(0)) close();
  await source.close();
});

test('quiet hours hold what is not urgent, and send it afterwards', async () => {
  const tonight = await start({ laterMs: TONIGHT_MS });
  await tonight.tell();
  const [first = '', second = ''] = listPaid();
  const dates = { startDate: '2026-03-02', finishDate: '2026-03-04' };
  const period = make(source, { change: 'create-pay-period', calendar: 'Weekly', ...dates });
  await tonight.tell();
  make(source, { change: 'close-pay-period', id: period.id });
  // Sees it and reads its dates; the next poll tells it.
  await tonight.poll();
  make(source, { change: 'change', id: first });
  const closing = await tonight.tell();
  make(source, { change: 'change', id: second });
  make(source, { change: 'reopen-pay-period', id: closedLongAgo() });
  const reopening = await tonight.tell();
  const dataFolder = await restartable(tonight);
  const tomorrow = await start({ laterMs: TOMORROW_MS, dataFolder });
  const morning = await tomorrow.tell();

  const changedOne = expect.stringContaining(first);
  const closed = expect.stringContaining('Weekly 2-4 Mar');
  expect(textsOf(closing, 'slack #payroll')).toHaveLength(2);
  expect(textsOf(closing, 'slack #payroll')).toEqual(expect.arrayContaining([closed, changedOne]));
  expect(textsOf(closing, 'slack #managers')).toEqual([]);
  expect(textsOf(reopening, 'slack #managers')).toEqual([expect.stringContaining('Weekly 8-14 Jan')]);
  // All that is of one pay period is one message.
  const [all = '', ...others] = textsOf(morning, 'slack #managers');
  expect(others).toEqual([]);
  for (const named of ['Weekly 2-4 Mar', first, second]) expect(all).toContain(named);
  expect(textsOf(morning, 'slack #payroll')).toEqual([]);
});

test('a system that answers 500 receives the same event again, with a new signature', async () => {
  const receiver = await openReceiver([500, 204]);
  const stage = await start({ webhookUrl: receiver.url });
  await stage.tell();
  await stage.inbox.take();
  const { id } = make(source, { change: 'create', date: TODAY });

  await stage.tell();

  const [event] = await stage.inbox.take();
  expect(event?.event.subject).toBe(id);
  expect(receiver.requests).toHaveLength(1);
  // After about five real seconds: SQS delays the message.
  await eventually(() => expect(receiver.requests).toHaveLength(2));
  const verifier = new Webhook(stage.secret);
  for (const { body, headers } of receiver.requests) {
    expect(body).toBe(event?.text);
    expect(verifier.verify(body, headers)).toMatchObject({ id: event?.event.id });
  }
});

test('alerts not sent before a restart are sent after it, once', async () => {
  const before = await start({});
  await before.tell();
  const [id = ''] = listPaid();
  make(source, { change: 'change', id });
  await before.poll();
  const dataFolder = await restartable(before);
  const after = await start({ dataFolder });

  const shown = await after.tell();

  expect(textsOf([...before.shown, ...shown], 'slack #payroll')).toHaveLength(1);
  const changes = [...before.shown, ...shown].filter((text) => text.includes('took timesheet.changed'));
  expect(changes).toEqual([expect.stringContaining(`timesheet.changed of ${id}`)]);
});

/** Ids of timesheets that are processed: to change one is late. */
function listPaid(): string[] {
  const timesheets = source.company.timesheets(WATCHED);
  return timesheets.filter(({ processed }) => processed !== null).map(({ id }) => id);
}

function closedLongAgo(): string {
  const closed = source.company.payPeriods().find((period) => period.closed !== null);
  if (closed === undefined) throw new Error('the company has closed no pay period');
  return closed.id;
}

async function start(options: Omit<PeopleOptions, 'source'>): Promise<PeopleStage> {
  const stage = await startPeopleStage({ source, ...options });
  stages.push(stage);
  return stage;
}

/** Stops a stage; another one can continue from its data folder. */
async function restartable(stage: PeopleStage): Promise<string> {
  stages.splice(stages.indexOf(stage), 1);
  await stage.stop({ keep: true });
  return stage.dataFolder;
}

/** The messages shown on a channel. */
function textsOf(shown: readonly string[], label: string): string[] {
  return shown.filter((text) => text.startsWith(`${label}  `));
}

/** A webhook receiver that gives these answers. */
async function openReceiver(statuses: readonly number[]) {
  const requests: { body: string; headers: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    requests.push({ body: Buffer.concat(chunks).toString(), headers });
    response.writeHead(statuses[requests.length - 1] ?? 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, requests };
}
