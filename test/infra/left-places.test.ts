import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildFilterPolicy } from '#infra/constructs/subscribers/event-subscriptions.ts';
import { createSnsClient, createSqsClient } from '#local/aws/engines/clients.ts';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { startMessaging } from '#local/aws/engines/messaging-engine.ts';
import { readQueue } from '#local/aws/functions/queue-messages.ts';
import { applyQueue, applySubscription, applyTopic } from '#local/aws/template/apply.ts';
import { localArn } from '#local/aws/template/local-account.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { type EventFilter, eventFilterSchema } from '#shared/config/schema/event-filter.ts';
import { isFor } from '#shared/systems/filter.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { buildEvents, STAMP } from '#test/shared/core/events/history.ts';
import { createChange, timesheet } from '#test/support/builders.ts';

/** Records that leave a department or an organisation: SNS and the filter of webhooks send the event to both places. */

const TOPICS = ['timesheets'] as const;
const TOPIC_ARN = localArn('sns', 'timesheets');
const [A, B] = ['501_7', '502_7'].map((id) => ({ id, name: id }));

/**
 * Timesheets: approved in A; moved to B and another organisation; moved, revoked and processed at once; moved to no
 * department; removed from B.
 */
const STORIES = [
  [timesheet({ id: '1_1', department: A }), timesheet({ id: '1_1', department: A, approvedHours: STAMP })],
  [
    timesheet({ id: '2_1', department: A }),
    timesheet({ id: '2_1', department: B, organisationWorkedId: '2_7' }),
  ],
  [
    timesheet({ id: '3_1', department: A, approvedHours: STAMP, approvedPayroll: 'P' }),
    timesheet({ id: '3_1', department: B, approvedPayroll: 'P', processed: STAMP }),
  ],
  [timesheet({ id: '4_1', department: A }), timesheet({ id: '4_1', department: null })],
  [timesheet({ id: '5_1', department: B }), null],
] as const;
const EVENTS = STORIES.flatMap(([before, after]) => buildEvents(createChange(before, after)));
const TEXTS = EVENTS.map((event) => JSON.stringify(event));

/** Each with how many of the seven events are for it. */
const FILTERS: Readonly<Record<string, readonly [count: number, filter: EventFilter]>> = {
  a: [5, { departmentId: ['501_7'] }],
  b: [5, { departmentId: ['502_7'] }],
  neither: [0, { departmentId: ['503_7'], late: false }],
  organisation: [7, { organisationId: ['1_7'] }],
  'other-organisation': [1, { organisationId: ['2_7'], departmentId: ['501_7', '503_7'] }],
  both: [5, { organisationId: ['1_7'], departmentId: ['502_7'], connection: ['main'] }],
  typed: [1, { type: ['workforce.timesheet.approval_revoked'], departmentId: ['501_7'], late: true }],
};

const received = new Map<string, string[]>();
let stop: () => Promise<void>;

beforeAll(async () => {
  const folder = await openDataFolder(createTemporaryFolder('data'));
  const accessKeyId = 'key-of-this-run';
  const engine = await startMessaging(folder, accessKeyId);
  const endpoints = { messaging: engine.endpoint, accessKeyId };
  const [sns, sqs] = [createSnsClient(endpoints), createSqsClient(endpoints)];
  stop = async () => {
    await engine.stop();
    folder.release();
  };
  await applyTopic(sns, 'timesheets');
  for (const [name, [, filter]] of Object.entries(FILTERS)) {
    await applyQueue(sqs, name, {});
    const attributes = { RawMessageDelivery: 'true', FilterPolicy: JSON.stringify(policyOf(filter)) };
    await applySubscription(sns, { topicArn: TOPIC_ARN, queueArn: localArn('sqs', name), attributes });
  }
  const publisher = createSnsPublisher({
    client: sns,
    topicArns: { timesheets: TOPIC_ARN },
    sleep: async () => {},
    random: () => 0,
  });
  expect(await publisher.publish('timesheets', TEXTS)).toMatchObject({ published: TEXTS.length });
  for (const queueName of Object.keys(FILTERS)) {
    const bodies: string[] = [];
    await readQueue(
      { ...engine, sqs, queueName, batchSize: 10 },
      async (body) => void bodies.push(body),
    ).finish();
    received.set(queueName, bodies);
  }
});
afterAll(async () => await stop());

test.each(Object.entries(FILTERS))(
  'the filter %s lets the same events through to a queue as to a webhook',
  (name, [count, filter]) => {
    const wanted = EVENTS.filter((event) => isFor(event as never, { topics: TOPICS, filter }));
    const ids = (received.get(name) ?? []).map((body) => (JSON.parse(body) as { id: string }).id);
    expect(ids.sort()).toEqual(wanted.map(({ id }) => id).sort());
    expect(wanted).toHaveLength(count);
  },
);

test('a filter with every condition has no more keys than SNS allows', () => {
  const filter = { type: ['x'], connection: ['x'], organisationId: ['1'], departmentId: ['1'], late: true };
  expect(Object.keys(buildFilterPolicy(filter as never))).toEqual(['type', 'connection', 'late', '$or']);
});

test('a filter by type lets the snapshots of a restored table pass, unless it wants late changes alone', () => {
  const policyText = (late?: boolean) =>
    JSON.stringify(policyOf(eventFilterSchema.parse({ type: ['workforce.timesheet.approved'], late })));
  const texts = [policyText(), policyText(false), policyText(true)];
  expect(texts.map((text) => text.includes('timesheet.snapshot'))).toEqual([true, true, false]);
});

test('the guide shows the filter policy of its filter', () => {
  const guide = readFileSync('docs/subscribing.md', 'utf8');
  const shown = /```json\n(?<policy>\{\s+"type": \[[\s\S]*?)```/.exec(guide)?.groups?.policy ?? '';
  const filter = eventFilterSchema.parse({
    type: ['workforce.timesheet.changed', 'workforce.timesheet.removed'],
    departmentId: ['202_1'],
  });
  expect(JSON.parse(shown)).toEqual(policyOf(filter));
});

/** The filter policy as the template has it. */
function policyOf(filter: EventFilter): object {
  return Object.fromEntries(
    Object.entries(buildFilterPolicy(filter)).map(([name, { conditions }]) => [name, conditions]),
  );
}
