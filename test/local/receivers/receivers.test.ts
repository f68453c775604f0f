import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveOnLoopback } from '#local/loopback-server.ts';
import {
  openReceivedIds,
  type ReceivedIds,
  type Receivers,
  startReceivers,
} from '#local/receivers/server.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import { ask } from '#test/local/ask.ts';
import { receivedText } from '#test/support/received-text.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';

const SECRET = `whsec_${Buffer.from('a secret of twenty-four.').toString('base64')}`;
const EVENT = JSON.stringify({
  id: 'e-1',
  type: 'workforce.pay_period.closed',
  subject: '9_1',
  sequence: 2,
  data: {},
});

let received: ReceivedIds;
let receivers: Receivers;
let shown: string[];
let showing: () => Promise<void>;

beforeEach(async () => {
  shown = [];
  showing = async () => {};
  received = openReceivedIds(join(createTemporaryFolder('received'), 'received.db'));
  receivers = await startReceivers({
    signingSecret: SECRET,
    received,
    show: async (message) => {
      await showing();
      shown.push(receivedText(message));
    },
  });
});

afterEach(async () => {
  await receivers.stop();
  received.close();
});

describe('an incoming webhook of Slack', () => {
  test('shows the blocks as a person sees them, and answers ok', async () => {
    const plain = (text: string) => ({ type: 'plain_text', text });
    const payload = {
      text: 'the fallback',
      blocks: [
        { type: 'section', text: plain('57 timesheets approved in 4 departments') },
        { type: 'section', text: plain('• Ana &amp; Lee &lt;Kitchen&gt;\n• Bo') },
        { type: 'context', elements: [plain('+ 47 more'), plain('10:30')] },
      ],
    };
    expect(await post(receivers.slackAddress('payroll'), payload)).toEqual([200, 'ok']);
    expect(shown).toEqual([
      [
        'slack #payroll  57 timesheets approved in 4 departments',
        '• Ana & Lee <Kitchen>',
        '• Bo',
        '+ 47 more 10:30',
      ].join('\n'),
    ]);
  });

  test('shows rich text, and without blocks the text', async () => {
    const run = (text: string) => ({ type: 'rich_text_section', elements: [{ type: 'text', text }] });
    const blocks = [
      { type: 'rich_text', elements: [{ type: 'rich_text_list', elements: [run('one'), run('two')] }] },
    ];
    await post(receivers.slackAddress('a'), { text: '', blocks });
    await post(receivers.slackAddress('b'), { text: 'alone' });
    expect(shown).toEqual(['slack #a  • one\n• two', 'slack #b  alone']);
  });

  test.each([
    ['no JSON', 'text='],
    ['no text and no blocks', '{}'],
    ['blocks of another shape', '{"text": "a", "blocks": "b"}'],
  ])('refuses %s and shows nothing', async (_, body) => {
    expect(await post(receivers.slackAddress('a'), body)).toEqual([400, 'invalid_payload']);
    expect(shown).toEqual([]);
  });

  test('does not answer ok to a message that could not be shown', async () => {
    showing = () => Promise.reject(new Error('the reader is gone'));
    expect((await post(receivers.slackAddress('a'), { text: 'a' }))[0]).toBe(500);
  });
});

describe('the Web API of Slack', () => {
  const MESSAGE = { channel: 'C0123456789', text: 'It was reopened.\nSeen.' };
  const call = (method: string, payload: object) =>
    post(`${receivers.slackAddress('payroll')}/${method}`, { ...MESSAGE, ...payload }).then(
      ([status, body]) => [status, JSON.parse(body)],
    );

  test('shows a message and its reply', async () => {
    const [, { ok, ts }] = await call('chat.postMessage', {});
    expect(ok).toBe(true);
    expect(ts).toMatch(/^\d+\.\d{6}$/);
    const [, reply] = await call('chat.postMessage', { thread_ts: ts, reply_broadcast: true });
    expect(reply).toMatchObject({ ok: true, message: { thread_ts: ts } });
    expect(reply.ts).not.toBe(ts);
    expect(shown.map((text) => text.split('\n')[0])).toEqual([
      'slack #payroll  It was reopened.',
      'slack #payroll  reply in the thread of its pay period',
    ]);
  });

  test.each([
    ['chat.postMessage', { channel: 7 }],
    ['chat.postMessage', { text: '' }],
  ])('refuses %s with %j, and shows nothing', async (method, payload) => {
    expect(await call(method, payload)).toEqual([200, { ok: false, error: 'invalid_arguments' }]);
    expect(shown).toEqual([]);
  });
});

describe('a workflow of Teams', () => {
  const url = 'https://time.acme.example/1';
  const LINES = [{ spans: ['One.'] }, { spans: [{ bold: '**Two**' }, ' & 3.'], url }];
  const MESSAGE = { id: 'm', heading: 'Four of six', lines: LINES, more: 2, urgent: false };

  test('shows the card as a person sees it, and accepts it', async () => {
    const payload = buildTeamsPayload({ ...MESSAGE, at: 0, timeZone: 'UTC', url });
    expect(await post(receivers.teamsAddress('office'), payload)).toEqual([202, '']);
    expect(shown).toEqual([
      [
        'teams office  Four of six',
        '• One.',
        '• **Two** & 3.  [Open]',
        '• and 2 more',
        '---',
        'Seen on Thu 1 Jan 1970 at 00:00 (UTC).',
        '[Open]',
      ].join('\n'),
    ]);
  });

  const markdown = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: '**x**' }] };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  test.each([
    ['no JSON', 'text='],
    ['a message of Slack', { text: 'a' }],
    ['no card', { type: 'message', attachments: [] }],
    ['a card with Markdown', { type: 'message', attachments: [{ contentType, content: markdown }] }],
  ])('refuses %s and shows nothing', async (_, body) => {
    expect(await post(receivers.teamsAddress('office'), body)).toEqual([400, 'TriggerInputSchemaMismatch']);
    expect(shown).toEqual([]);
  });
});

describe('a receiver of webhooks', () => {
  test('verifies a signature as an independent receiver would, and shows the event', async () => {
    expect(await post(receivers.webhookAddress('payroll'), EVENT, signed({}))).toEqual([204, '']);
    expect(shown).toEqual(['payroll took pay_period.closed of 9_1, sequence 2']);
  });

  test('shows a repeat once, also after a restart, and one that is sent again once more', async () => {
    await post(receivers.webhookAddress('payroll'), EVENT, signed({}));
    await receivers.stop();
    receivers = await startReceivers({
      signingSecret: SECRET,
      received,
      show: async (message) => void shown.push(receivedText(message)),
    });
    expect(await post(receivers.webhookAddress('payroll'), EVENT, signed({}))).toEqual([204, '']);
    expect(shown).toHaveLength(1);
    await post(receivers.webhookAddress('payroll'), EVENT, signed({ 'webhook-sent-again': 'true' }));
    expect(shown[1]).toBe('payroll took pay_period.closed of 9_1, sequence 2, sent again');
  });

  test('marks an example', async () => {
    await post(receivers.webhookAddress('payroll'), EVENT, signed({ 'webhook-example': 'true' }));
    expect(shown).toEqual(['payroll took pay_period.closed of 9_1, sequence 2, example']);
  });

  test('does not store the id of an event that could not be shown', async () => {
    showing = () => Promise.reject(new Error('the reader is gone'));
    expect((await post(receivers.webhookAddress('payroll'), EVENT, signed({})))[0]).toBe(500);
    showing = async () => {};
    expect((await post(receivers.webhookAddress('payroll'), EVENT, signed({})))[0]).toBe(204);
    expect(shown).toHaveLength(1);
  });

  const HOUR_AGO = new Date(Date.now() - 3_600_000);
  test.each([
    [
      'of another secret',
      signed({}, { secret: `whsec_${Buffer.from('another').toString('base64')}` }),
      'No matching signature found',
    ],
    ['of another body', signed({}, { body: `${EVENT} ` }), 'No matching signature found'],
    ['of an hour ago', signed({}, { at: HOUR_AGO }), 'Message timestamp too old'],
    ['without headers', {}, 'Missing required headers'],
    ['under another id', signed({}, { id: 'e-2' }), 'webhook-id is not the id of the event'],
  ])('refuses a signature %s, and says why', async (_, headers, reason) => {
    expect(await post(receivers.webhookAddress('payroll'), EVENT, headers)).toEqual([401, 'not verified']);
    expect(shown).toEqual([`payroll refused: ${reason}`]);
  });

  test('passes a request on as it came to the receiver of a user, and its answer back', async () => {
    const asked: unknown[] = [];
    const own = await serveOnLoopback(async (request, response) => {
      asked.push([request.headers['webhook-signature'], await text(request)]);
      if (asked.length === 1) response.writeHead(429, { 'retry-after': '7' }).end('later');
      else if (asked.length === 2) response.writeHead(204).end();
      else request.socket.destroy();
    });
    await receivers.stop();
    receivers = await startReceivers({
      ...{ signingSecret: SECRET, received, passOnTo: `${own.endpoint}/hook` },
      show: async (message) => void shown.push(receivedText(message)),
    });
    const headers = signed({});
    const send = () => fetch(receivers.webhookAddress('payroll'), { method: 'POST', body: EVENT, headers });
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      429,
      '7',
      'later',
    ]);
    expect((await send()).status).toBe(204);
    await expect(send()).rejects.toThrow();
    await own.stop();
    expect(asked).toEqual(Array(3).fill([headers['webhook-signature'], EVENT]));
    const what = 'pay_period.closed of 9_1, sequence 2';
    expect(shown).toEqual([
      `payroll refused (429) ${what}`,
      `payroll took (204) ${what}`,
      expect.stringMatching(`^payroll did not answer \\(\\w+\\) ${what}$`),
    ]);
  });

  test('refuses a signed body that is not an event', async () => {
    const headers = signed({}, { body: 'hello' });
    expect((await post(receivers.webhookAddress('payroll'), 'hello', headers))[0]).toBe(401);
    expect(shown).toEqual(['payroll refused: the body is not an event']);
  });
});

test.each([
  ['/', 'POST', 404],
  ['/other/a', 'POST', 404],
  ['/slack/a/b', 'POST', 404],
  ['/slack/a', 'GET', 405],
])('%s %s is answered %i', async (path, method, status) => {
  const init = method === 'GET' ? {} : { method, body: EVENT };
  const response = await fetch(`${baseOf(receivers)}${path}`, init);
  expect(response.status).toBe(status);
  expect(shown).toEqual([]);
});

test.each([
  ['no secret', (base: string) => new URL('/slack/payroll', base).href],
  ['the secret of another run', (base: string) => `${base.slice(0, -32)}${'A'.repeat(32)}/slack/payroll`],
])('nothing is shown that comes with %s in its address', async (_, address) => {
  expect(await post(address(baseOf(receivers)), { text: '10 timesheets approved' })).toEqual([
    404,
    'no such receiver',
  ]);
  expect(shown).toEqual([]);
});

test('nothing is shown that a web page sends, even to the right address', async () => {
  const headers = { origin: 'https://page.example' };
  const question = { method: 'POST', headers, body: '{"text":"10 timesheets approved"}' };
  expect(await ask(receivers.slackAddress('payroll'), question)).toMatchObject({ status: 403, body: '' });
  expect(shown).toEqual([]);
});

function baseOf({ teamsAddress }: Receivers): string {
  return teamsAddress('board').replace(/\/teams\/board$/, '');
}

interface Signing {
  readonly id?: string;
  readonly at?: Date;
  readonly body?: string;
  readonly secret?: string;
}

function signed(
  headers: Record<string, string>,
  { id = 'e-1', at = new Date(), body = EVENT, secret = SECRET }: Signing = {},
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
    ...headers,
  };
}

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<[number, string]> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', body: text, headers });
  return [response.status, await response.text()];
}
