import { describe, expect, test } from 'vitest';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'main',
};
const ONE = { topics: ['timesheets' as const] };
const QUEUE_ARN = 'arn:aws:sqs:eu-west-1:111122223333:theirs';

describe('two queues of one name are refused', () => {
  test.each([
    'collect-alerts',
    'collect-alerts-dead-letters',
    'release-alerts-dead-letters',
    'poll',
    'poll-dead-letters',
    'check-deliveries-dead-letters',
  ])('a queue %s, as a function of the stack has it', (name) => {
    expect(problemsOf({ queues: queues(name) })).toEqual([
      `queues[0].name: with "${name}" a queue would be called acme-${name}, as a built-in one is; use another name`,
    ]);
  });

  test('a queue that a webhook has', () => {
    expect(problemsOf({ queues: queues('webhook-x'), webhooks: webhooks('x') })).toEqual([
      'webhooks[0].name: with "x" a queue would be called acme-webhook-x, as one of the queue "webhook-x" is; use another name',
    ]);
  });

  test('a queue that the dead letters of a webhook have', () => {
    const config = { queues: queues('webhook-x-dead-letters'), webhooks: webhooks('x') };
    expect(problemsOf(config)).toEqual([
      'webhooks[0].name: with "x" a queue would be called acme-webhook-x-dead-letters, as one of the queue "webhook-x-dead-letters" is; use another name',
    ]);
  });

  test.each([
    ['x', 'x-dead-letters'],
    ['x-dead-letters', 'x'],
  ])('of %s and %s, which one has as the dead letters of the other', (first, second) => {
    expect(problemsOf({ queues: queues(first, second) })).toEqual([
      `queues[1].name: with "${second}" a queue would be called acme-x-dead-letters, as one of the queue "${first}" is; use another name`,
    ]);
    expect(problemsOf({ webhooks: webhooks(first, second) })).toEqual([
      `webhooks[1].name: with "${second}" a queue would be called acme-webhook-x-dead-letters, as one of the webhook "${first}" is; use another name`,
    ]);
    expect(problemsOf({ people: { channels: slack(first, second) } })).toEqual([
      `people.channels[1].name: with "${second}" a queue would be called acme-slack-x-dead-letters.fifo, as one of the channel "${first}" is; use another name`,
    ]);
  });

  test('the dead letters of a queue that exists already', () => {
    const [made, existing] = queues('x-dead-letters', 'x');
    expect(problemsOf({ queues: [made, { ...existing, queueArn: QUEUE_ARN }] })).toEqual([
      'queues[1].name: with "x" a queue would be called acme-x-dead-letters, as one of the queue "x-dead-letters" is; use another name',
    ]);
  });
});

describe('names that only look alike are taken', () => {
  test.each<[string, Partial<NotifierConfigInput>]>([
    [
      'a queue that keeps the order ends otherwise',
      { queues: queues('slack-x'), people: { channels: slack('x') } },
    ],
    ['a queue of a webhook begins otherwise', { webhooks: webhooks('collect-alerts') }],
    ['mailboxes have no queues', { people: { channels: [mail('x'), mail('x-dead-letters')] } }],
    [
      'a queue that exists already has a name of its own',
      {
        queues: [
          { ...ONE, name: 'x-dead-letters', queueArn: QUEUE_ARN },
          { ...ONE, name: 'x' },
        ],
      },
    ],
  ])('%s', (_, config) => {
    expect(problemsOf(config)).toEqual([]);
  });
});

function queues<Names extends string[]>(...names: Names) {
  return names.map((name) => ({ ...ONE, name })) as { [Each in keyof Names]: typeof ONE & { name: string } };
}

function webhooks(...names: string[]) {
  const url = 'https://payroll.acme.example/hook';
  return names.map((name) => ({ ...ONE, name, url, secretName: 'hook' }));
}

function slack(...names: string[]) {
  return names.map((name) => ({ name, kind: 'slack' as const, secretName: 'slack' }));
}

function mail(name: string) {
  return { name, kind: 'email' as const, addresses: ['office@acme.example'] };
}

/** What is wrong with a config, each without the name of its file. */
function problemsOf(config: Partial<NotifierConfigInput>): string[] {
  try {
    parseNotifierConfig({ stackName: 'acme', connections: [CONNECTION], ...config });
    return [];
  } catch (error) {
    if (!(error instanceof NotifierError)) throw error;
    return error.message.split('\n').map((line) => line.replace('notifier.config.ts: ', ''));
  }
}
