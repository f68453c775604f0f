import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { stackQueue, startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';
import type { WireEvent } from '#test/end-to-end/inbox.ts';

/** What became of events at their receivers, on a running machine. */

const WEBHOOK = 'webhook/payroll-system';
const IN_CHAT = { destination: 'slack/payroll', outcome: 'delivered', attempts: 1 } as const;
const DAY_MS = 86_400_000;
const MOMENT = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;

const LINE = new RegExp(`^${MOMENT}  (?<type>\\S+) +(?<record>\\S+) +(?<event>\\S+)  (?<rest>.*)$`);

let machine: WatchedMachine;
/** Five approvals, for the webhook by its filter. */
let told: readonly WireEvent[];
/** For the webhook, and for people. */
let reopened: WireEvent | undefined;

beforeAll(async () => {
  machine = await startWatchedMachine();
  const open = machine.source.company.timesheets(WATCHED).filter((each) => each.approvedHours === null);
  for (const { id } of open.slice(0, 5)) make(machine.source, { change: 'approve', id });
  const [closed] = machine.source.company.payPeriods().filter((each) => each.closed !== null);
  make(machine.source, { change: 'reopen-pay-period', id: closed?.id ?? '' });
  const all = await machine.stage.tell();
  told = all.filter(({ type }) => type === 'timesheet.approved');
  reopened = all.find(({ type }) => type === 'pay_period.reopened');
  await record(0, { outcome: 'delivered', attempts: 2, answers: ['503'] });
  await record(1, { outcome: 'failed', attempts: 10, detail: '500', answers: ['timeout', '500'] });
  await record(2, {
    outcome: 'waiting',
    attempts: 1,
    detail: '503',
    answers: ['503'],
    nextAt: machine.stage.now() + 5_000,
  });
  await record(3, { outcome: 'failed', attempts: 0, detail: 'disabled' });
  await saveDelivery(reopened, { ...IN_CHAT, detail: null });
});

afterAll(async () => {
  await machine?.stop();
});

test('deliveries lists event, attempts, answers and the next try, and what was not tried', async () => {
  expect(told).toHaveLength(5);
  const { code, lines } = await machine.run('deliveries', '--to', 'payroll-system');
  expect(code).toBe(0);
  const outcomes = new Map(lines.slice(0, 6).map((line) => readLine(line)));
  expect(
    told.map(({ event: { id, subject } }) => outcomes.get(`timesheet.approved ${subject} ${id}`)),
  ).toEqual([
    expect.stringMatching(new RegExp(`^delivered      2 attempts: 503; ${MOMENT}$`)),
    expect.stringMatching(new RegExp(`^failed         10 attempts: timeout, 500; last ${MOMENT}$`)),
    expect.stringMatching(new RegExp(`^waiting        1 attempt: 503; last ${MOMENT}; next ${MOMENT}$`)),
    expect.stringMatching(new RegExp(`^failed         disabled; last ${MOMENT}$`)),
    'not yet tried',
  ]);
  const data = machine.stage.dataFolder;
  expect(lines.slice(6)).toEqual([
    '',
    'payroll-system: 1 delivered, 1 waiting, 2 not yet tried, 2 failed',
    `npm run notifier -- deliveries --to payroll-system --since 24h --resend --data ${data} sends what failed again`,
  ]);
});

test('without --to names the receiver, channels included, of events that they had', async () => {
  const { lines } = await machine.run('deliveries');
  expect(lines.filter((line) => line.includes(reopened?.event.id ?? ''))).toEqual([
    expect.stringMatching(/ {2}payroll-system {2}not yet tried/),
    expect.stringMatching(/ {2}slack\/payroll +delivered +1 attempt; /),
  ]);
  expect(lines).toContain('slack/payroll: 1 delivered');
});

test('an event in a message of a chat waits until the message was taken', async () => {
  const show = async () => (await machine.run('deliveries', '--to', 'slack/payroll')).lines;
  await saveDelivery(reopened, { ...IN_CHAT, detail: 'in message m1' });
  expect((await show()).slice(0, 3)).toEqual([
    expect.stringMatching(/ {2}waiting {2}in message m1, not known to be taken since /),
    '',
    'slack/payroll: 1 waiting',
  ]);
  const at = machine.stage.now();
  await machine.deliveryStore.save({ ...IN_CHAT, eventId: 'm1', at, detail: null }, at + DAY_MS);
  expect((await show()).slice(0, 3)).toEqual([
    expect.stringMatching(/ {2}delivered {2}1 attempt; .*; in message m1$/),
    '',
    'slack/payroll: 1 delivered',
  ]);
});

test('--failed, when nothing is given up, says what waits', async () => {
  const list = ['deliveries', '--failed', '--to', 'slack/payroll'] as const;
  const nothing = 'no delivery to slack/payroll failed in this time';
  expect(await machine.run(...list)).toMatchObject({ code: 0, stdout: `${nothing}\n`, stderr: '' });
  await saveDelivery(reopened, { ...IN_CHAT, detail: 'in message m2' });
  expect((await machine.run(...list)).stdout).toBe(`${nothing}; 1 waiting, listed without --failed\n`);
  expect(await machine.run(...list, '--json')).toMatchObject({ stdout: '', stderr: '' });
});

test('--failed --json has one object per line', async () => {
  const { lines } = await machine.run('deliveries', '--failed', '--json');
  const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(found.map(({ eventId }) => eventId).sort()).toEqual([told[1]?.event.id, told[3]?.event.id].sort());
  expect(found.find(({ eventId }) => eventId === told[1]?.event.id)).toEqual({
    receiver: 'payroll-system',
    eventId: told[1]?.event.id,
    type: 'workforce.timesheet.approved',
    record: told[1]?.event.subject,
    connection: 'main',
    committedAt: expect.stringMatching(/Z$/),
    outcome: 'failed',
    attempts: 10,
    answers: ['timeout', '500'],
    at: expect.stringMatching(/Z$/),
    nextAt: null,
  });
});

describe('--resend', () => {
  test('counts first, and sends nothing without confirmation', async () => {
    const counted = '       2  workforce.timesheet.approved\n2 failed events to payroll-system\n';
    expect(await machine.run('deliveries', '--resend')).toMatchObject({
      code: 1,
      stdout: counted,
      stderr: 'nothing was sent: cannot ask for confirmation without a terminal; add --yes\n',
    });
  });

  test('resumes a disabled webhook, which a listing names', async () => {
    const refusal = { url: 'https://payroll.acme.example', reason: '410', connection: 'main', told: true };
    await machine.webhookStates.saveDisabled('payroll-system', { ...refusal, at: machine.stage.now() });
    const resume = `npm run notifier -- deliveries --to payroll-system --since 24h --resend --data ${machine.stage.dataFolder}`;
    expect((await machine.run('deliveries', '--failed')).lines).toContain(
      `payroll-system is disabled; ${resume} resumes it, and sends what failed again`,
    );
    expect((await machine.run('deliveries', '--resend', '--since', '0s', '--yes')).lines).toEqual([
      'no delivery to a webhook failed in this time',
      'payroll-system is disabled',
      'payroll-system gets events again',
    ]);
    await machine.webhookStates.saveDisabled('payroll-system', null);
  });

  test('sends the failed events alone, byte for byte, marked as sent again', async () => {
    await receive();
    const letters = stackQueue('webhook-payroll-system-dead-letters');
    const [own = '', other = ''] = [told[1]?.text, told[0]?.text];
    for (const MessageBody of [own, other]) {
      await machine.stage.aws.sqs.send(new SendMessageCommand({ QueueUrl: letters, MessageBody }));
    }
    const { code, lines } = await machine.run('deliveries', '--resend', '--yes');
    expect([code, lines.at(-1)]).toEqual([0, '2 sent again to payroll-system']);
    const { Attributes } = await machine.stage.aws.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: letters, AttributeNames: ['All'] }),
    );
    const { ApproximateNumberOfMessages: seen, ApproximateNumberOfMessagesNotVisible: hidden } =
      Attributes ?? {};
    expect(Number(seen) + Number(hidden)).toBe(1);
    const sent = await receive();
    expect(sent.map(({ Body }) => Body).sort()).toEqual([told[1]?.text, told[3]?.text].sort());
    for (const { MessageAttributes } of sent) {
      expect(MessageAttributes).toMatchObject({
        'sent-again': { StringValue: 'true' },
        type: { StringValue: 'workforce.timesheet.approved' },
      });
    }
  });
});

test.each([
  [['--to', 'nope'], /^there is no receiver "nope"; use one of /],
  [['--to', 'slack/payroll', '--resend'], /^--to is "slack\/payroll"; --resend sends to webhooks alone/],
  [['--since', 'yesterday'], /^--since is "yesterday"; use a time such as 2h/],
])('deliveries %j is an error that says what to use', async (args, message) => {
  expect(await machine.run('deliveries', ...args)).toMatchObject({
    ...{ code: 1, stdout: '', stderr: expect.stringMatching(message) },
  });
});

/** What a line is about, and what it says of it. */
function readLine(line: string): [string, string] {
  const { type, record: id, event, rest } = LINE.exec(line)?.groups ?? {};
  return [`${type} ${id} ${event}`, rest ?? line];
}

type Entry = Pick<Delivery, 'outcome' | 'attempts'> & Partial<Delivery>;

async function record(index: number, entry: Entry) {
  await saveDelivery(told[index], entry);
}

async function saveDelivery(wire: WireEvent | undefined, entry: Entry) {
  const at = machine.stage.now();
  const eventId = wire?.event.id ?? '';
  expect(eventId).not.toBe('');
  await machine.deliveryStore.save(
    { eventId, destination: WEBHOOK, at, detail: null, ...entry },
    at + DAY_MS,
  );
}

async function receive() {
  const { Messages = [] } = await machine.stage.aws.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: stackQueue('webhook-payroll-system'),
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}
