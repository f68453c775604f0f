import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseForwardAddress } from '#cli/testing/forward.ts';
import { verifyWebhook } from '#kit/verify-webhook.ts';
import { executeHere } from '#test/cli/execute.ts';
import { stackQueue, startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';
import type { WireEvent } from '#test/end-to-end/inbox.ts';
import { startReceiver } from './testing/receiver/flawed-receiver.ts';

/** Commands that send to one receiver: of the config of a running machine, or one that somebody writes. */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const SIGNING = { environment: { WEBHOOK_SECRET: SECRET } };
const REFUSAL = { url: 'https://payroll.acme.example', reason: '410', connection: 'main', told: true };

let machine: WatchedMachine;
/** Three approvals, for all. */
let told: readonly WireEvent[];
let record: string;

beforeAll(async () => {
  machine = await startWatchedMachine();
  const open = machine.source.company.timesheets(WATCHED).filter((each) => each.approvedHours === null);
  for (const { id } of open.slice(0, 3)) make(machine.source, { change: 'approve', id });
  told = await machine.stage.tell();
  record = told[0]?.event.subject ?? '';
});

afterAll(async () => {
  await machine?.stop();
});

describe('test --to NAME', () => {
  test('puts an example into a queue of the config, as SNS would, with an id that marks it', async () => {
    await take('payroll');
    const args = ['test', '--to', 'payroll', '--type', 'timesheet.approved'];
    const { code, stdout } = await machine.run(...args);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^sent timesheet\.approved with the id example-\w+ to payroll\n$/),
    ]);
    const [example, ...others] = await take('payroll');
    expect(others).toEqual([]);
    expect(JSON.parse(example?.Body ?? '')).toMatchObject({
      id: expect.stringMatching(/^example-/),
      type: 'workforce.timesheet.approved',
    });
    expect(example?.MessageAttributes).toMatchObject({
      type: { StringValue: 'workforce.timesheet.approved' },
      connection: { StringValue: 'main' },
      example: { StringValue: 'true' },
    });
  });

  test('puts a message into the queue of a Slack channel', async () => {
    const { code } = await machine.run('test', '--to', 'slack/payroll');
    const [message] = await take('slack-payroll.fifo');
    expect([code, JSON.parse(message?.Body ?? '{}')]).toEqual([
      0,
      expect.objectContaining({
        heading: 'Example: messages reach this channel',
        timeZone: machine.stage.connection.timeZone,
      }),
    ]);
  });

  test.each([
    [
      ['test', '--to', 'payroll-system', '--type', 'timesheet.created'],
      /^nothing was sent: payroll-system would not receive it because its filter \{"type":\["workforce\.timesheet\.approved",.*\} excludes this timesheet\.created\n$/,
    ],
    [
      ['test', '--to', 'payroll-system', '--type', 'trouble.began'],
      /^nothing was sent: .* because trouble\.began is on the topic operations and it subscribes to timesheets, pay-periods\n$/,
    ],
    [
      ['test', '--to', 'slack/payroll', '--type', 'timesheet.nonsense'],
      /^--type is "timesheet\.nonsense", which is no/,
    ],
    [
      ['test', '--to', 'nope'],
      /^there is no receiver "nope"; use one of payroll-system, payroll, slack\/payroll\n$/,
    ],
    [
      ['send', '--events', '--to', 'slack/payroll'],
      /^there is no receiver "slack\/payroll"; use one of payroll-system, payroll\n$/,
    ],
    [
      ['send', '--events', '--since', '2h', '--until', '3h', '--to', 'payroll'],
      /^--since 2h \(2026-.*Z\) is not before --until 3h \(2026-.*Z\); pass the earlier time with --since\n$/,
    ],
  ])('%j is one line that says why not', async (args, message) => {
    expect(await machine.run(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});

describe('send --events', () => {
  test('counts first, and sends nothing without confirmation', async () => {
    await take('webhook-payroll-system');
    const { code, stdout, stderr } = await send();
    expect([code, stdout, stderr]).toEqual([
      1,
      '       1  workforce.timesheet.approved\n1 event to payroll-system\n',
      'nothing was sent: cannot ask for confirmation without a terminal; add --yes\n',
    ]);
    expect(await take('webhook-payroll-system')).toEqual([]);
  });

  test('sends the same bytes to one receiver alone, marked as sent again', async () => {
    await take('payroll');
    const { code, lines } = await send('--yes');
    expect([code, lines.at(-1)]).toEqual([0, '1 sent']);
    const [sent] = await take('webhook-payroll-system');
    expect(sent?.Body).toBe(told[0]?.text);
    expect(sent?.MessageAttributes?.['sent-again']?.StringValue).toBe('true');
    expect([await take('payroll'), await machine.stage.inbox.take()]).toEqual([[], []]);
  });

  test('sends nothing to a webhook that is disabled, as test does, until its disabling is forgotten', async () => {
    const at = machine.stage.now();
    await machine.webhookStates.saveDisabled('payroll-system', { ...REFUSAL, at });
    const refused =
      /^nothing was sent: webhook "payroll-system" answered 410 at .*Z and is disabled; npm run notifier -- deliveries --to payroll-system --resend --data \S+ has it get events again\n$/;
    for (const { code, stdout, stderr } of [
      await send('--yes'),
      await machine.run('test', '--to', 'payroll-system'),
    ])
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(refused)]);
    await machine.webhookStates.saveDisabled('payroll-system', null);
    expect((await machine.run('test', '--to', 'payroll-system')).code).toBe(0);
  });

  const send = (...more: readonly string[]) =>
    machine.run('send', '--events', '--record', record, '--to', 'payroll-system', ...more);
});

describe('test --to URL', () => {
  test('says of a correct receiver how many checks hold, and what was not checked', async () => {
    const receiver = await startReceiver(SECRET);
    const { code, stdout } = await executeHere(['test', '--to', receiver.url], SIGNING);
    const [, holding, all] =
      /^(\d+) of (\d+) checks hold\nnot checked: .*; pass --probe\n$/.exec(stdout) ?? [];
    expect([code, holding]).toEqual([0, all]);
    await receiver.close();
  });

  test('has a line for each fault of another, with how to fix it, and exit code 1', async () => {
    const { url, probeUrl, close } = await startReceiver(SECRET, 'refuses unknown fields');
    const { code, lines } = await executeHere(['test', '--to', url, '--probe', probeUrl], SIGNING);
    expect([code, lines.slice(0, 2)]).toEqual([
      1,
      [
        'wrong  unknown fields: 422, expected 2xx',
        '       -> ignore unknown fields: new ones are added, none is ever renamed or removed',
      ],
    ]);
    await close();
  });
});

describe('test --forward', () => {
  let server: Server;
  const answers = [204, 503, 204, 410];
  const arrivals: {
    readonly headers: Record<string, string | string[] | undefined>;
    readonly body: string;
  }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        arrivals.push({ headers: request.headers, body });
        response.writeHead(answers.shift() ?? 410).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => void server.close());

  test('hands on what is in the log, signed and in order, again what is not accepted, until the receiver wants no more', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const args = ['test', '--forward', url, '--since', '1h', '--type', 'timesheet.approved'];
    const { dataFolder } = machine.stage;
    const { code, lines, stderr } = await executeHere([...args, '--data', dataFolder], SIGNING);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/answered 410, which means that it wants no more/),
    ]);
    expect(lines.map((line) => line.slice(0, 3))).toEqual(['204', '503', '204', '410']);
    expect(lines[1]).toMatch(/timesheet\.approved .* \(again in 1 s\)$/);
    const bodies = arrivals.map(({ body }) => body);
    expect(bodies[1]).toBe(bodies[2]);
    expect([...new Set(bodies)].sort()).toEqual(told.map((event) => event.text).sort());
    for (const arrival of arrivals)
      expect(verifyWebhook(arrival, SECRET)).toMatchObject({ outcome: 'event' });
  });

  test.each(['http://localhost:3000/hook', 'http://[::1]:3000/', 'https://hooks.acme.example/dev'])(
    'may be to %s',
    (address) => {
      expect(parseForwardAddress(address)).toBe(address);
    },
  );
});

/** Takes the messages that a queue of the stack has. */
async function take(queue: string): Promise<readonly Message[]> {
  const { Messages = [] } = await machine.stage.aws.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: stackQueue(queue),
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}
