import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { type FaultySource, make, startCompany, TODAY } from './company.ts';
import type { WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';

/** Whatever stops in between: nothing is lost, and repeated events are the same. */

const MINUTE_MS = 60_000;

let source: FaultySource;
let stage: Stage;

beforeAll(async () => {
  source = await startCompany();
  stage = await startStage({ source });
  await stage.tell();
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

test('after a kill between commit and publish, the next poll publishes the same, byte for byte', async () => {
  const { id } = make(source, { change: 'create', date: TODAY });
  const asked = Promise.withResolvers<string>();
  // An SNS that never answers.
  const sns = await serveOnLoopback((request) => {
    text(request).then(asked.resolve, asked.reject);
  });
  const host = stage.startHost({ messaging: sns.endpoint });
  const poll = expect(host.poll()).rejects.toThrow('before it answered');
  const form = new URLSearchParams(await asked.promise);
  await host.stop();
  await poll;
  await sns.stop();
  // Until its lease has ended.
  stage.advance(2);
  make(source, { change: 'approve', id });

  const told = await stage.tell();

  expect(stepsOf(told)).toEqual([
    ['timesheet.created', id, 1],
    ['timesheet.approved', id, 2],
  ]);
  expect(told[0]?.text).toBe(form.get('PublishBatchRequestEntries.member.1.Message'));
  expect(await stage.tell()).toEqual([]);
});

test('after a restart waiting events are delivered and changes in between are emitted once', async () => {
  const { id } = make(source, { change: 'create', date: TODAY });
  const report = await stage.poll();
  await stage.stop({ keep: true });
  make(source, { change: 'approve', id });

  stage = await startStage({ source, dataFolder: stage.dataFolder, laterMs: 10 * MINUTE_MS });
  const delivered = await stage.inbox.take();
  const told = await stage.tell();

  expect(report.counts.eventsPublished).toBe(1);
  expect(stepsOf(delivered)).toEqual([['timesheet.created', id, 1]]);
  expect(stepsOf(told)).toEqual([['timesheet.approved', id, 2]]);
  expect(await stage.tell()).toEqual([]);
});

function stepsOf(events: readonly WireEvent[]) {
  return events.map(({ type, event }) => [type, event.subject, event.sequence]);
}
