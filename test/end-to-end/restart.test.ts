import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeleteTopicCommand } from '@aws-sdk/client-sns';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { applyTopic } from '#local/aws/template/apply.ts';
import type { RunningSource } from '#local/source/server.ts';
import { eventually } from '#test/support/eventually.ts';
import { clearFaults, injectFault, listFaults, make, startCompany, TODAY } from './company.ts';
import { findTopics, type WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';

/** Whatever stops in between: nothing is lost, and repeated events are the same. */

const MINUTE_MS = 60_000;

let source: RunningSource;
let stage: Stage;
const closes: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  source = await startCompany();
  stage = await startStage({ source });
  await stage.tell();
});

afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

test('after a kill between commit and publish, the next poll publishes the same, byte for byte', async () => {
  const { id } = make(source, { change: 'create', date: TODAY });
  const sns = await startSilentSns();
  const host = stage.hostOf('timesheets', { endpoints: { messaging: sns.endpoint } });
  const poll = expect(host.poll()).rejects.toThrow('before it answered');
  const unpublished = await sns.asked;
  await host.stop();
  await poll;
  make(source, { change: 'approve', id });

  const told = await stage.tell();

  expect(stepsOf(told)).toEqual([
    ['timesheet.created', id, 1],
    ['timesheet.approved', id, 2],
  ]);
  expect(told[0]?.text).toBe(unpublished);
  expect(await stage.tell()).toEqual([]);
});

test('events of a missing topic wait, others are published, and repeated ones have the same id', async () => {
  const restore = await deleteTopic(stage, 'clockings');
  const { id } = make(source, { change: 'create', date: TODAY });
  make(source, { change: 'clock-in', id });
  const other = make(source, { change: 'create', date: TODAY });
  const reports = [await stage.poll('timesheets'), await stage.poll('timesheets')];
  const meanwhile = await stage.inbox.take();
  await restore();

  const told = await stage.tell();

  expect(
    reports.map(({ outcome, counts }) => [outcome, counts.eventsCommitted, counts.eventsWaiting]),
  ).toEqual([
    ['complete', 3, 1],
    ['complete', 0, 1],
  ]);
  expect(stepsOf(meanwhile.slice(0, 2)).toSorted()).toEqual([
    ['timesheet.created', id, 1],
    ['timesheet.created', other.id, 1],
  ]);
  const all = [...meanwhile, ...told];
  expect(new Set(all.map(({ text }) => text)).size).toBe(3);
  expect(new Set(all.map(({ event }) => event.id)).size).toBe(3);
  expect(stepsOf(told)).toContainEqual(['timesheet.clocked_in', id, 2]);
  expect(await stage.tell()).toEqual([]);
});

test('of two concurrent polls one emits the change, the other reads again what it lost', async () => {
  const second = stage.hostOf('timesheets', {});
  closes.push(second.stop);
  await second.poll();
  const { id } = make(source, { change: 'create', date: TODAY });
  await injectFault(source, { operation: 'listTimesheets', times: 1, action: { kind: 'hold' } });
  const overtaken = stage.poll('timesheets');
  await eventually(async () => expect(await listFaults(source)).toEqual([]));
  const quick = await second.poll();
  await clearFaults(source);
  const late = await overtaken;

  expect(stepsOf(await stage.inbox.take())).toEqual([['timesheet.created', id, 1]]);
  expect([quick.outcome, quick.counts.conflicts]).toEqual(['complete', 0]);
  expect([late.outcome, late.counts.conflicts > 0]).toEqual(['complete', true]);
  expect(await stage.tell()).toEqual([]);
});

test('after a restart waiting events are delivered and changes in between are emitted once', async () => {
  const first = make(source, { change: 'create', date: TODAY });
  const report = await stage.poll('timesheets');
  await stage.stop({ keep: true });
  const second = make(source, { change: 'approve', id: first.id });

  stage = await startStage({ source, dataFolder: stage.dataFolder, laterMs: MINUTE_MS });
  const delivered = await stage.inbox.take();
  const told = await stage.tell();

  expect(report.counts.eventsPublished).toBe(1);
  expect(stepsOf(delivered)).toEqual([['timesheet.created', first.id, 1]]);
  expect(stepsOf(told)).toEqual([['timesheet.approved', second.id, 2]]);
  expect(told[0]?.event.data.reverses).toBeUndefined();
  expect(await stage.tell()).toEqual([]);
});

/** Deletes a topic, as by mistake, and returns a function that restores it with its subscription. */
async function deleteTopic({ aws, inbox }: Stage, name: string): Promise<() => Promise<void>> {
  const [TopicArn = ''] = [...findTopics(aws)].find(([, topic]) => topic === name) ?? [];
  await aws.sns.send(new DeleteTopicCommand({ TopicArn }));
  return async () => {
    await applyTopic(aws.sns, TopicArn.slice(TopicArn.lastIndexOf(':') + 1));
    await inbox.subscribe();
  };
}

/** An SNS that never answers; `asked` settles with the first message it received. */
async function startSilentSns() {
  const asked = Promise.withResolvers<string>();
  const server = createServer((request) => {
    void messageIn(request).then(asked.resolve, asked.reject);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closes.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, asked: asked.promise };
}

async function messageIn(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  return form.get('PublishBatchRequestEntries.member.1.Message') ?? '';
}

function stepsOf(events: readonly WireEvent[]) {
  return events.map(({ type, event }) => [type, event.subject, event.sequence]);
}
