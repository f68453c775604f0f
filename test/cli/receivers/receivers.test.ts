import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queueUrl } from '#local/aws/functions/queue-messages.ts';
import { stackQueue, startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';

/** Commands that send to one receiver of a running machine. */

const REFUSAL = { url: 'https://payroll.acme.example', reason: '410', connection: 'main', told: true };

let machine: WatchedMachine;

beforeAll(async () => {
  machine = await startWatchedMachine();
});

afterAll(async () => {
  await machine?.stop();
});

describe('test --to NAME', () => {
  test('puts an example into a queue of the config, as SNS would, with an id that marks it', async () => {
    const { code, stdout } = await machine.run(
      ...['test', '--to', 'payroll', '--type', 'timesheet.approved'],
    );
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^sent timesheet\.approved with the id example-\w+ to payroll\n$/),
    ]);
    const { Messages = [] } = await machine.stage.aws.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: stackQueue('payroll'),
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    );
    const examples = Messages.filter(({ Body = '' }) => Body.includes('"id":"example-'));
    expect(examples).toHaveLength(1);
    expect(JSON.parse(examples[0]?.Body ?? '')).toMatchObject({ type: 'workforce.timesheet.approved' });
    expect(examples[0]?.MessageAttributes).toMatchObject({
      type: { StringValue: 'workforce.timesheet.approved' },
      connection: { StringValue: 'main' },
      example: { StringValue: 'true' },
    });
  });

  test.each([
    [
      'timesheet.created',
      /^nothing was sent: payroll-system would not receive it because its filter \{"type":\["workforce\.timesheet\.approved",.*\} excludes this timesheet\.created\n$/,
    ],
    [
      'trouble.began',
      /^nothing was sent: .* because trouble\.began is on the topic operations and it subscribes to timesheets, pay-periods\n$/,
    ],
  ])('sends no %s to a receiver that excludes it', async (type, message) => {
    const { code, stderr } = await machine.run('test', '--type', type, '--to', 'payroll-system');
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    const QueueUrl = stackQueue('webhook-payroll-system');
    const { Messages = [] } = await machine.stage.aws.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages).toEqual([]);
  });

  test('puts a message into the queue of a Slack channel', async () => {
    const { code } = await machine.run('test', '--to', 'slack/payroll');
    const { Messages = [] } = await machine.stage.aws.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: slackQueue() }),
    );
    expect([code, JSON.parse(Messages[0]?.Body ?? '{}')]).toEqual([
      0,
      expect.objectContaining({
        heading: 'Example: messages reach this channel',
        timeZone: machine.stage.connection.timeZone,
      }),
    ]);
  });

  test.each([
    [
      ['--type', 'timesheet.nonsense', '--to', 'slack/payroll'],
      /^--type is "timesheet\.nonsense", which is no/,
    ],
    [['--type', 'timesheet.approved'], /^test needs one of --to and --forward$/m],
    [['--to', 'payroll-system', '--forward', 'http://localhost'], /^test needs one of --to and --forward$/m],
    [['--forward', 'http://payroll.acme.example/hook'], /^--forward is .* in clear;/],
  ])('%j ends with 1 and one line that says what to use', async (args, message) => {
    const { code, stdout, stderr } = await machine.run('test', ...args);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('an unknown receiver', () => {
  test.each([
    [['test'], 'nope', 'there is no receiver "nope"; use one of payroll-system, payroll, slack/payroll\n'],
    [
      ['send', '--events'],
      'slack/payroll',
      'there is no receiver "slack/payroll"; use one of payroll-system, payroll\n',
    ],
  ])('%j --to %s is an error that names the known ones', async (command, to, stderr) => {
    expect(await machine.run(...command, '--to', to)).toMatchObject({ code: 1, stdout: '', stderr });
  });
});

test.each([
  [[], 'send needs one of --events and --state'],
  [['--events', '--state'], 'send needs one of --events and --state'],
  [['--state', '--since', '2h'], '--since and --until choose among events; use --period or --record'],
  [['--events', '--period', '1_1'], '--period belongs to --state'],
  [['--state', '--period', '1_1', '--record', '2_1'], '--period and --record exclude each other'],
])('send %j says which options go together', async (options, message) => {
  const { code, stderr } = await machine.run('send', ...options, '--to', 'payroll');
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

describe('a webhook that is disabled', () => {
  const REFUSED =
    /^nothing was sent: webhook "payroll-system" answered 410 at .*Z and is disabled; npm run notifier -- deliveries --to payroll-system --resend --data \S+ has it get events again\n$/;

  beforeAll(async () => {
    await machine.webhookStates.saveDisabled('payroll-system', { ...REFUSAL, at: machine.stage.now() });
  });

  test.each([[['test']], [['send', '--events', '--since', '30d', '--yes']]])(
    'is sent nothing by %j',
    async (args) => {
      const { code, stdout, stderr } = await machine.run(...args, '--to', 'payroll-system');
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(REFUSED)]);
    },
  );

  test('does not keep others from receiving events', async () => {
    const sent = await machine.run('test', '--to', 'payroll');
    expect(sent.code).toBe(0);
  });

  test('receives events again once it is resumed, or before its disabling is published', async () => {
    const args = ['test', '--to', 'payroll-system'];
    await machine.webhookStates.saveDisabled('payroll-system', {
      ...REFUSAL,
      told: false,
      at: machine.stage.now(),
    });
    expect((await machine.run(...args)).code).toBe(0);
    await machine.webhookStates.saveDisabled('payroll-system', { ...REFUSAL, at: machine.stage.now() });
    const resumed = await machine.run('deliveries', '--to', 'payroll-system', '--resend', '--yes');
    expect(resumed.lines).toContain('payroll-system gets events again');
    expect(await machine.webhookStates.loadDisabled('payroll-system')).toMatchObject({
      url: '',
      enabledAt: expect.any(Number),
    });
    expect((await machine.run(...args)).code).toBe(0);
  });
});

function slackQueue(): string {
  const trigger = machine.stage.aws.deployment.triggers.find(({ queueName }) =>
    queueName.includes('slack-payroll'),
  );
  return queueUrl(trigger?.queueName ?? '');
}
