import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FoundDelivery, findDeliveries } from '#shared/operator/deliveries/find-deliveries.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { listReceivers, WITH_DELIVERIES } from '#shared/operator/receivers.ts';
import type { Target } from '#shared/operator/target.ts';
import { type SeededCompany, startSeededCompany } from '#test/console/seeded-company.ts';

let seeded: SeededCompany;

beforeAll(async () => {
  seeded = await startSeededCompany();
  await seeded.live(600, 30);
});
afterAll(() => seeded.stop());

test('the delivery store is asked of an event only for receivers to which the config sends such events', async () => {
  const { target, asked } = countAsked(seeded.target);
  const clockings = await list(target, 'timesheet.clocked_*');
  // Nobody of the sample config hears that somebody clocked in or out on time.
  expect(clockings).toEqual([]);
  expect(asked()).toBe(0);

  const approvals = await list(target, 'timesheet.approved');
  expect(new Set(approvals.map(({ receiver }) => receiver.label))).toEqual(new Set(['payroll-system']));
  expect(approvals.length).toBeGreaterThan(0);
  const late = approvals.filter(({ text }) => JSON.parse(text).data.late.length > 0).length;
  expect(late).toBeGreaterThan(0);
  // Of a late one people hear, by Slack and by mail.
  expect(asked()).toBe(approvals.length + 2 * late);
});

async function list(target: Target, type: string): Promise<FoundDelivery[]> {
  const found: FoundDelivery[] = [];
  for await (const each of findDeliveries(
    buildQueries({ since: '24h', type }, target),
    listReceivers(WITH_DELIVERIES, target),
    target,
  ))
    found.push(each);
  return found;
}

/** Counts the items that are read in batches, as the delivery store is. */
function countAsked(target: Target) {
  let count = 0;
  const dynamoDb: Target['dynamoDb'] = Object.create(target.dynamoDb, {
    send: {
      value: (command: unknown) => {
        if (command instanceof BatchGetItemCommand)
          for (const { Keys = [] } of Object.values(command.input.RequestItems ?? {})) count += Keys.length;
        return target.dynamoDb.send(command as never);
      },
    },
  });
  return { target: { ...target, dynamoDb }, asked: () => count };
}
