import { describe, expect, test } from 'vitest';
import { CONNECTION, faultsOf, SLACK } from './base-config.ts';

const ONE = { topics: ['timesheets'] };
const EXISTING = { queueArn: 'arn:aws:sqs:eu-west-1:111122223333:theirs' };

describe('two queues of one name are refused', () => {
  test.each([
    ...['collect-alerts', 'collect-alerts-dead-letters', 'release-alerts-dead-letters'],
    ...['poll', 'poll-dead-letters', 'check-deliveries-dead-letters'],
  ])('a queue %s, as a function of the stack has it', (name) => {
    expect(problemsOf({ queues: queues(name) })).toEqual([
      `queues[0].name: with "${name}" a queue would be called acme-${name}, as a built-in one is; use another name`,
    ]);
  });

  test.each(['webhook-x', 'webhook-x-dead-letters'])('a queue %s, and that of a webhook', (name) => {
    expect(problemsOf({ queues: queues(name), webhooks: webhooks('x') })).toEqual([
      `webhooks[0].name: with "x" a queue would be called acme-${name}, as one of the queue "${name}" is; use another name`,
    ]);
  });

  test.each([
    ['x', 'x-dead-letters', {}],
    ['x-dead-letters', 'x', {}],
    ['x-dead-letters', 'x', EXISTING],
  ])('of %s and %s, which one has as the dead letters of the other', (first, second, more) => {
    const clash = (place: string, queue: string, kind: string) =>
      `${place}[1].name: with "${second}" a queue would be called acme-${queue}, as one of the ${kind} "${first}" is; use another name`;
    const [one, two] = queues(first, second);
    expect(problemsOf({ queues: [one, { ...two, ...more }] })).toEqual([
      clash('queues', 'x-dead-letters', 'queue'),
    ]);
    expect(problemsOf({ webhooks: webhooks(first, second) })).toEqual([
      clash('webhooks', 'webhook-x-dead-letters', 'webhook'),
    ]);
    expect(problemsOf({ people: { channels: slack(first, second) } })).toEqual([
      clash('people.channels', 'slack-x-dead-letters.fifo', 'channel'),
    ]);
  });
});

test.each([
  [
    'a queue that keeps the order ends otherwise',
    { queues: queues('slack-x'), people: { channels: slack('x') } },
  ],
  ['a queue of a webhook begins otherwise', { webhooks: webhooks('collect-alerts') }],
  ['mailboxes have no queues', { people: { channels: [mail('x'), mail('x-dead-letters')] } }],
  [
    'a queue that exists already has a name of its own',
    { queues: [{ ...ONE, ...EXISTING, name: 'x-dead-letters' }, ...queues('x')] },
  ],
])('names that only look alike are taken: %s', (_, config) => {
  expect(problemsOf(config)).toEqual([]);
});

function queues(...names: string[]) {
  return names.map((name) => ({ ...ONE, name }));
}

function webhooks(...names: string[]) {
  return names.map((name) => ({
    ...ONE,
    name,
    url: 'https://payroll.acme.example/hook',
    secretName: 'hook',
  }));
}

function slack(...names: string[]) {
  return names.map((name) => ({ ...SLACK, name }));
}

function mail(name: string) {
  return { name, kind: 'email', addresses: ['office@acme.example'] };
}

function problemsOf(config: object): string[] {
  return faultsOf({ stackName: 'acme', connections: [CONNECTION], ...config });
}
