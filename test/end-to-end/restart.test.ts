import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeleteTopicCommand } from '@aws-sdk/client-sns';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { applyTopic } from '#local/aws/template/apply.ts';
import { eventually } from '#test/support/eventually.ts';
import { type FaultySource, make, makeAny, startCompany, TODAY } from './company.ts';
import { findTopics, type WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';

/** Whatever stops in between: nothing is lost, and repeated events are the same. */

const MINUTE_MS = 60_000;

let source: FaultySource;
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
  const host = stage.startHost({ endpoints: { messaging: sns.endpoint } });
  const poll = expect(host.poll()).rejects.toThrow('before it answered');
  const unpublished = await sns.asked;
  await host.stop();
  await poll;
  // Until its lease has ended.
  stage.advance(2);
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
  const restore = await deleteTopic(stage, 'timesheets');
  const { id } = make(source, { change: 'create', date: TODAY });
  make(source, { change: 'clock-in', id });
  const period = makeAny(source, 'create-pay-period');
  const reports = [await stage.poll(), await stage.poll()];
  const meanwhile = await stage.inbox.take();
  await restore();

  const told = await stage.tell();

  expect(reports.map(({ counts }) => [counts.eventsCommitted, counts.eventsWaiting])).toEqual([
    [3, 2],
    [0, 2],
  ]);
  expect(stepsOf(meanwhile)).toContainEqual(['pay_period.created', period?.id, 1]);
  expect(stepsOf(told)).toEqual([
    ['timesheet.created', id, 1],
    ['timesheet.clocked_in', id, 2],
  ]);
  expect(await stage.tell()).toEqual([]);
});

test('while a poll runs another one does nothing, and one that lost its lease commits nothing', async () => {
  const second = stage.startHost({});
  const overtaker = stage.startHost({ laterMs: 5 * MINUTE_MS });
  closes.push(second.stop, overtaker.stop);
  const { id } = make(source, { change: 'create', date: TODAY });
  source.faults.add({ operation: 'listTimesheets', times: 1, action: { kind: 'hold' } });
  const held = stage.poll();
  await eventually(() => expect(source.faults.list()).toEqual([]));
  expect(await second.poll()).toMatchObject({ outcome: 'skipped', counts: { requests: 0 } });
  expect(await overtaker.poll()).toMatchObject({ counts: { eventsCommitted: 1 } });
  source.faults.clear();
  expect(await held).toMatchObject({ outcome: 'skipped', counts: { eventsCommitted: 0 } });
  expect(stepsOf(await stage.inbox.take())).toEqual([['timesheet.created', id, 1]]);
  stage.advance(6);
  expect(await stage.tell()).toEqual([]);
});

test('after a restart waiting events are delivered and changes in between are emitted once', async () => {
  const first = make(source, { change: 'create', date: TODAY });
  const report = await stage.poll();
  await stage.stop({ keep: true });
  const second = make(source, { change: 'approve', id: first.id });

  stage = await startStage({ source, dataFolder: stage.dataFolder, laterMs: 10 * MINUTE_MS });
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
