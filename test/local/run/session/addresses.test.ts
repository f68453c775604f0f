import { expect, test } from 'vitest';
import { listAddresses } from '#local/run/session/addresses.ts';
import type { Machine } from '#local/run/session/machine.ts';

const MACHINE = {
  aws: { endpoints: { messaging: 'http://127.0.0.1:4100', accessKeyId: 'KEY' } },
  config: {
    stackName: 'notifier',
    queues: [{ name: 'payroll' }, { name: 'other', queueArn: 'arn:aws:sqs:us-east-1:1:other' }],
  },
} as unknown as Machine;

test('the console, and each queue of the stack with lines that a shell takes to receive from it', () => {
  const [console, queue, ...others] = listAddresses(MACHINE, 'http://127.0.0.1:4600/#token=a');
  expect(console).toBe('console  http://127.0.0.1:4600/#token=a');
  expect(queue?.split('\n')).toEqual([
    'queue    payroll, to receive from it:',
    '  export AWS_ACCESS_KEY_ID=KEY',
    '  export AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=us-east-1',
    '  aws sqs receive-message --endpoint-url http://127.0.0.1:4100 \\',
    '    --queue-url http://127.0.0.1:4100/000000000000/notifier-payroll',
  ]);
  expect(others).toEqual([]);
});

test('a run without a console has the queues', () => {
  expect(listAddresses(MACHINE, null)).toEqual([expect.stringMatching(/^queue/)]);
});
