import { describe, expect, test } from 'vitest';
import { ALERT_ENVIRONMENT } from '#functions/parts/alert-parts.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';

const VARIABLES = {
  TABLE_NAME: 'table',
  CHAT_QUEUE_URL: 'https://sqs.local/0/slack-payroll.fifo',
  TOPIC_ARN_ALERTS: 'arn:alerts',
};

describe('the environment', () => {
  test('of the function that releases alerts', () => {
    expect(readEnvironment(ALERT_ENVIRONMENT, VARIABLES)).toEqual({
      tableName: 'table',
      chatQueueUrl: 'https://sqs.local/0/slack-payroll.fifo',
      alertsTopicArn: 'arn:alerts',
    });
  });

  test.each(Object.keys(VARIABLES))('without %s, or with an empty one, is an error that names it', (name) => {
    for (const value of name === 'CHAT_QUEUE_URL' ? [''] : [undefined, ''])
      expect(() => readEnvironment(ALERT_ENVIRONMENT, { ...VARIABLES, [name]: value })).toThrow(name);
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
