import { describe, expect, test } from 'vitest';
import { COLLECT_ENVIRONMENT } from '#functions/collect-alerts.ts';
import { RELEASE_ENVIRONMENT } from '#functions/release-alerts.ts';
import { readEnvironment, writeSetting } from '#shared/config/environment.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';
import { alertingSchema } from '#shared/config/schema/people.ts';

const ALERTING = alertingSchema.parse({
  channels: [{ kind: 'slack', name: 'payroll', secretName: 'notifier/slack' }],
  connections: [{ name: 'main', timeZone: 'Pacific/Auckland' }],
});
const VARIABLES = {
  TABLE_NAME: 'table',
  ALERTING: writeSetting(ALERTING),
  RETENTION_DAYS: '90',
  CHAT_QUEUE_URL: 'https://sqs.local/0/slack-payroll.fifo',
  TOPIC_ARN_ALERTS: 'arn:alerts',
  STACK_NAME: 'workforce-notifier',
};

describe('the environment', () => {
  test('of the function that collects alerts', () => {
    expect(readEnvironment(COLLECT_ENVIRONMENT, VARIABLES)).toEqual({
      tableName: 'table',
      alerting: ALERTING,
      retentionDays: 90,
    });
  });

  test('of the function that releases them', () => {
    expect(readEnvironment(RELEASE_ENVIRONMENT, VARIABLES)).toEqual({
      tableName: 'table',
      alerting: ALERTING,
      retentionDays: 90,
      chatQueueUrl: 'https://sqs.local/0/slack-payroll.fifo',
      alertsTopicArn: 'arn:alerts',
      stackName: 'workforce-notifier',
    });
  });

  const needed = Object.keys(VARIABLES).filter((name) => name !== 'CHAT_QUEUE_URL');
  test.each(needed)('without %s is an error that names it', (name) => {
    expect(() => readEnvironment(RELEASE_ENVIRONMENT, { ...VARIABLES, [name]: undefined })).toThrow(name);
  });

  test.each([
    ['ALERTING', '%%%'],
    ['ALERTING', '{"channels":7}'],
    ['CHAT_QUEUE_URL', ''],
    ['RETENTION_DAYS', 'many'],
    ['RETENTION_DAYS', '0'],
  ])('with a strange %s (%s) is an error that names it', (name, value) => {
    expect(() => readEnvironment(RELEASE_ENVIRONMENT, { ...VARIABLES, [name]: value })).toThrow(name);
  });
});

describe('a request to release alerts', () => {
  test.each([
    [{ scope: 'all' }, { scope: 'all' }],
    [{}, { scope: 'due' }],
  ])('%j', (event, request) => {
    expect(readReleaseRequest(event)).toEqual(request);
  });

  test.each([
    [null, 'the event: Invalid input: expected object, received null'],
    [{ scope: 'now' }, 'scope: Invalid option: expected one of "due"|"all"'],
    [{ scope: 'due', channel: 'x' }, 'the event: Unrecognized key: "channel"'],
  ])('that is not one is an error that says so: %j', (event, why) => {
    expect(() => readReleaseRequest(event)).toThrow(
      `the event is not a request to release alerts (${why}); send {"scope":"due"}, as the schedule of this stack does`,
    );
  });
});
