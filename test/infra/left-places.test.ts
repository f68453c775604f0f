import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fold, isTimesheetEvent, parseEvent } from 'workforce-change-notifier';
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

const FILTERS: Readonly<Record<string, EventFilter>> = {
  a: { departmentId: ['501_7'] },
  b: { departmentId: ['502_7'] },
  neither: { departmentId: ['503_7'], late: false },
  organisation: { organisationId: ['1_7'] },
  'other-organisation': { organisationId: ['2_7'], departmentId: ['501_7', '503_7'] },
  both: { organisationId: ['1_7'], departmentId: ['502_7'], connection: ['main'] },
  typed: { type: ['workforce.timesheet.approval_revoked'], departmentId: ['501_7'], late: true },
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
  for (const [name, filter] of Object.entries(FILTERS)) {
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

test('the stories have the events that they are for', () => {
  expect(
    EVENTS.map(({ type, data }) => [type.replace('workforce.timesheet.', ''), data.previousDepartmentId]),
  ).toEqual([
    ['approved', undefined],
    ['changed', '501_7'],
    ['approval_revoked', '501_7'],
    ['changed', '501_7'],
    ['processed', undefined],
    ['changed', '501_7'],
    ['removed', undefined],
  ]);
});

describe.each(Object.entries(FILTERS))('with the filter %s', (name, filter) => {
  test('SNS and the filter of webhooks let the same events through', () => {
    const wanted = EVENTS.filter((event) => isFor(event as never, { topics: TOPICS, filter }));
    expect(idsIn(received.get(name) ?? [])).toEqual(wanted.map(({ id }) => id).sort());
  });
});

test('a state folded from the events of a department does not keep a timesheet that left it', () => {
  for (const id of ['2_1', '3_1', '4_1']) {
    expect(departmentOf(id, 'a')).not.toBe('501_7');
  }
  expect([departmentOf('1_1', 'a'), departmentOf('2_1', 'b')]).toEqual(['501_7', '502_7']);
  expect(departmentOf('5_1', 'b')).toBeUndefined();
});

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

function idsIn(bodies: readonly string[]): string[] {
  return bodies.map((body) => (JSON.parse(body) as { id: string }).id).sort();
}

function departmentOf(timesheetId: string, queue: string): string | null | undefined {
  let state: Parameters<typeof fold>[0] = null;
  for (const body of received.get(queue) ?? []) {
    const parsed = parseEvent(body);
    if (parsed.outcome !== 'event' || !isTimesheetEvent(parsed.event)) continue;
    if (parsed.event.data.timesheetId === timesheetId)
      state = fold(state as never, parsed.event).state as never;
  }
  return (state as { current: { departmentId: string | null } | null } | null)?.current?.departmentId;
}
