import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createChatWebhook } from '#shared/adapters/chat/chat-webhook.ts';
import { parseWebhookAddress } from '#shared/adapters/chat/secret-text.ts';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { allowedTargetsSchema } from '#shared/config/schema/allowed-targets.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createFetchClient } from '#test/support/fetch-client.ts';

const NOW = Date.parse('2026-11-16T00:00:00.000Z');
const ADDRESS = 'https://hooks.slack.com/services/T0/B0/canary';
const NEW_ADDRESS = 'https://hooks.slack.com/services/T0/B1/canary';
const PAYLOAD = { text: 'Zoë closed it', blocks: [] };

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a payload is posted as JSON, once', async () => {
  const { requests, post } = slack([ok()]);

  expect(await post()).toEqual({ outcome: 'taken' });
  expect(requests).toHaveLength(1);
  const [request] = requests;
  expect(request?.url).toBe(ADDRESS);
  expect(request?.method).toBe('POST');
  expect(request?.headers.get('content-type')).toBe('application/json');
  expect(await request?.json()).toEqual(PAYLOAD);
});

describe('an answer', () => {
  test.each<[string, Response, object]>([
    ['ok', ok(), { outcome: 'taken' }],
    ['nothing with 200', answer(200, ''), { outcome: 'taken' }],
    ['a page', answer(200, ' <!doctype html>'), { outcome: 'refused', reason: 'answer_unexpected' }],
    [
      'a message it does not take',
      answer(400, 'invalid_payload'),
      { outcome: 'refused', reason: 'invalid_payload' },
    ],
    ['words', answer(400, 'Something <b>canary</b>'), { outcome: 'refused', reason: 'http_400' }],
    ['too large', answer(413, ''), { outcome: 'refused', reason: 'http_413' }],
    [
      'an archived channel',
      answer(410, 'channel_is_archived\n'),
      { outcome: 'refused', reason: 'channel_is_archived' },
    ],
    ['no hook', answer(404, 'no_service'), { outcome: 'refused', reason: 'no_service' }],
    ['forbidden', answer(403, 'action_prohibited'), { outcome: 'refused', reason: 'action_prohibited' }],
    [
      'another place',
      answer(302, '', { location: 'https://canary.example' }),
      { outcome: 'refused', reason: 'http_302' },
    ],
    ['an error', answer(500, 'rollup_error'), { outcome: 'later', afterMs: null, reason: 'rollup_error' }],
    [
      'an outage',
      answer(503, '', { 'retry-after': '30' }),
      { outcome: 'later', afterMs: 30_000, reason: 'http_503' },
    ],
    [
      'too many',
      answer(429, 'rate_limited', { 'retry-after': '7' }),
      { outcome: 'later', afterMs: 7_000, reason: 'rate_limited' },
    ],
    [
      'too many until a date',
      answer(429, '', { 'retry-after': 'Mon, 16 Nov 2026 00:00:09 GMT' }),
      { outcome: 'later', afterMs: 9_000, reason: 'http_429' },
    ],
    [
      'too many for a while',
      answer(429, '', { 'retry-after': 'soon' }),
      { outcome: 'later', afterMs: null, reason: 'http_429' },
    ],
  ])('of %s is understood', async (_, response, expected) => {
    const { post } = slack([response]);
    expect(await post()).toEqual(expected);
  });
});

describe('success is only what the service calls so', () => {
  const TEAMS = 'https://acme.webhook.office.com/webhookb2/canary';
  const told = (status: string) =>
    `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId tcid=0,server=canary`;
  const unexpected = { outcome: 'refused', reason: 'answer_unexpected' };

  test.each<[string, number, string, object]>([
    ['a workflow that accepted it', 202, '', { outcome: 'taken' }],
    ['a connector that posted it', 200, '1', { outcome: 'taken' }],
    ['a connector that posted it, with a line end', 200, '1\r\n', { outcome: 'taken' }],
    ['a limit in words', 200, told('429'), { outcome: 'later', afterMs: null, reason: 'http_429' }],
    [
      'a limit in words of a workflow',
      202,
      told('429'),
      { outcome: 'later', afterMs: null, reason: 'http_429' },
    ],
    ['an outage in words', 200, told('503'), { outcome: 'later', afterMs: null, reason: 'http_503' }],
    ['a message too large, in words', 200, told('413'), { outcome: 'refused', reason: 'http_413' }],
    ['a success in words', 200, told('200'), unexpected],
    ['a failure without a status', 200, 'Webhook message delivery failed', unexpected],
    ['what Slack calls success', 200, 'ok', unexpected],
    ['an object', 200, '{"error":"throttled"}', unexpected],
    ['another number', 200, '0', unexpected],
  ])('of Teams: %s', async (_, status, text, expected) => {
    const { post } = slack([answer(status, text)], [TEAMS], 'teams');
    expect(await post()).toEqual(expected);
  });

  test.each(['1', 'not_ok', 'OK, but canary', '{"ok":true}'])('of Slack: not %s', async (text) => {
    expect(await slack([answer(200, text)]).post()).toEqual(unexpected);
  });

  test('of Teams: an address that is gone in words is read anew', async () => {
    const replaced = 'https://prod-1.westeurope.logic.azure.com/workflows/canary';
    const { post, reads } = slack([answer(200, told('404')), answer(202, '')], [TEAMS, replaced], 'teams');
    expect(await post()).toEqual({ outcome: 'taken' });
    expect(reads).toEqual([false, true]);
  });
});

test('no answer is one for later, and says nothing of the address', async () => {
  const cause = Object.assign(new Error(`canary ${ADDRESS}`), { code: 'ENOTFOUND' });
  expect(await slack([cause]).post()).toEqual({ outcome: 'later', afterMs: null, reason: 'name_unknown' });
});

test.each(['10.0.0.7', '169.254.169.254', '127.0.0.1', '::1'])(
  'a name that leads to %s is not connected',
  async (address) => {
    const client = createWebhookClient({
      timeoutMs: 15_000,
      allow: allowedTargetsSchema.parse({}),
      now: () => NOW,
      resolve: async () => [{ address, family: address.includes(':') ? 6 : 4 }],
    });
    const webhook = createChatWebhook({ ...options([ADDRESS]).options, client });
    expect(await webhook.post(PAYLOAD)).toEqual({
      outcome: 'later',
      afterMs: null,
      reason: 'target_forbidden',
    });
  },
);

describe('an address that is not known any more', () => {
  test.each([401, 403, 404, 410, 301])('(%d) is read anew, and the new one is used', async (status) => {
    const { requests, reads, post } = slack([answer(status, ''), ok()], [ADDRESS, NEW_ADDRESS]);
    expect(await post()).toEqual({ outcome: 'taken' });
    expect(requests.map(({ url }) => url)).toEqual([ADDRESS, NEW_ADDRESS]);
    expect(reads).toEqual([false, true]);
  });

  test('and is the same as before counts as refused', async () => {
    const { requests, post } = slack([answer(404, 'no_service')]);
    expect(await post()).toEqual({ outcome: 'refused', reason: 'no_service' });
    expect(requests).toHaveLength(1);
  });

  test('is not tried a third time', async () => {
    const { requests, post } = slack([answer(404, ''), answer(403, '')], [ADDRESS, NEW_ADDRESS]);
    expect(await post()).toEqual({ outcome: 'refused', reason: 'http_403' });
    expect(requests).toHaveLength(2);
  });
});

describe('the secret', () => {
  test.each([
    [ADDRESS, ADDRESS],
    [` ${ADDRESS}\n`, ADDRESS],
    [JSON.stringify({ url: ADDRESS }), ADDRESS],
    ['https://hooks.slack-gov.com/services/T0/B0/x', 'https://hooks.slack-gov.com/services/T0/B0/x'],
  ])('%j holds an address', (text, address) => {
    expect(parseWebhookAddress(text, { kind: 'slack', secretName: 's', allowHttp: false })).toBe(address);
  });

  test.each([
    'https://prod-12.westeurope.logic.azure.com/workflows/a/triggers/manual/paths/invoke?sig=x',
    'https://prod-00.usgovvirginia.logic.azure.us/workflows/a',
    'https://default1f.a0.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/a',
    'https://default1f.a0.environment.api.gov.powerplatform.microsoft.us/powerautomate/a',
    'https://acme.webhook.office.com/webhookb2/a',
    'https://outlook.office.com/webhook/a',
  ])('of a channel of Teams may hold %s', (text) => {
    expect(parseWebhookAddress(text, { kind: 'teams', secretName: 's', allowHttp: false })).toBe(text);
    expect(() => parseWebhookAddress(text, { kind: 'slack', secretName: 's', allowHttp: false })).toThrow(
      'holds an address of another host',
    );
  });

  test.each([
    'https://teams.example/canary',
    'https://logic.azure.com.canary.example/',
    'https://canary-logic.azure.com/',
    'https://hooks.slack.com/services/canary',
  ])('of a channel of Teams does not hold %s', (text) => {
    expect(() => parseWebhookAddress(text, { kind: 'teams', secretName: 's', allowHttp: true })).toThrow(
      'holds an address of another host; put the address that the workflow of Teams shows',
    );
  });

  const NONE = 'holds no address of an incoming webhook';
  const HOW =
    'put the address that Slack shows for it (https://hooks.slack.com/services/...) into it, or {"url": ...} with it';

  test.each<[string, string]>([
    ['', NONE],
    ['canary', NONE],
    ['{"url": canary', NONE],
    [
      '{"address": "https://canary.example"}',
      'has an unknown member "address"; remove it, or rename it to one of url',
    ],
    [
      JSON.stringify({ url: ADDRESS, note: 'canary' }),
      'has an unknown member "note"; remove it, or rename it to one of url',
    ],
    ['{"url": 7}', NONE],
    ['https://canary:secret@hooks.slack.com/', NONE],
    ['https://canary@hooks.slack.com/', NONE],
    ['http://canary.example/services', 'holds an address that is not https'],
    ['file:///canary', 'holds an address that is not https'],
    ...[
      'canary.example',
      'hooks.slack.com.canary.example',
      'canary-hooks.slack.com',
      'hooks.slack.com.',
      'slack.com',
      '10.0.0.7',
      '[::ffff:169.254.169.254]',
      'localhost',
    ].map(
      (host) => [`https://${host}/services/canary`, 'holds an address of another host'] as [string, string],
    ),
  ])('%j holds none, and the error says so without it', async (text, what) => {
    const { post } = slack([], [text]);
    const error = await post().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotifierError);
    expect(error).toMatchObject({
      code: 'secret_invalid',
      retryable: false,
      message: `the secret "slack/payroll" ${what}; ${HOW}`,
    });
    expect((error as Error).cause).toBeUndefined();
    expect(String((error as Error).stack)).not.toContain('canary');
  });

  test('that cannot be read makes the post fail', async () => {
    const unreadable = new NotifierError('secret_unreadable', 'no', { retryable: true });
    const { post } = slack([], [unreadable]);
    await expect(post()).rejects.toBe(unreadable);
  });

  test('may hold http of this machine where that is allowed, and never of another', () => {
    const local = 'http://127.0.0.1:4000/slack/payroll';
    const read = (text: string, allowHttp: boolean) =>
      parseWebhookAddress(text, { kind: 'slack', secretName: 's', allowHttp });
    expect(read(local, true)).toBe(local);
    expect(() => read(local, false)).toThrow('not https');
    expect(() => read('http://10.0.0.7:4000/slack/payroll', true)).toThrow('not https');
  });
});

test('over a real connection the payload arrives whole, and a redirect is not followed', async () => {
  const bodies: string[] = [];
  const address = await listen((path, body) => {
    bodies.push(`${path} ${body}`);
    return path === '/moved' ? { status: 307, location: '/slack' } : { status: 200, location: '/' };
  });
  const post = async (path: string) =>
    createChatWebhook({
      kind: 'slack',
      secretName: 's',
      allowHttp: true,
      readSecret: async () => `${address}${path}`,
      client: clientOf(),
    }).post(PAYLOAD);

  expect(await post('/slack')).toEqual({ outcome: 'taken' });
  expect(await post('/moved')).toEqual({ outcome: 'refused', reason: 'http_307' });
  expect(bodies).toEqual([`/slack ${JSON.stringify(PAYLOAD)}`, `/moved ${JSON.stringify(PAYLOAD)}`]);
});

test('over a connection that is reset there is no answer', async () => {
  const address = await listen(() => null);
  const secret = options([`${address}/slack`]).options;
  const webhook = createChatWebhook({ ...secret, allowHttp: true, client: clientOf() });
  expect(await webhook.post(PAYLOAD)).toEqual({
    outcome: 'later',
    afterMs: null,
    reason: 'connection_failed',
  });
});

function ok(): Response {
  return answer(200, 'ok', { 'content-type': 'text/html' });
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers });
}

/** Each read gives the next secret, and the last one from then on. */
function options(secrets: readonly (string | Error)[]) {
  const reads: boolean[] = [];
  const readSecret = async ({ fresh }: { fresh: boolean }) => {
    const secret = secrets[Math.min(reads.length, secrets.length - 1)] ?? '';
    reads.push(fresh);
    if (secret instanceof Error) throw secret;
    return secret;
  };
  return {
    reads,
    options: {
      kind: 'slack' as const,
      secretName: 'slack/payroll',
      allowHttp: false,
      readSecret,
    },
  };
}

/** The client of a function, for a receiver on this machine. */
function clientOf() {
  const allow = { http: true, privateAddresses: true };
  return createWebhookClient({ timeoutMs: 15_000, allow, now: () => NOW });
}

function slack(
  answers: readonly (Response | Error)[],
  secrets: readonly (string | Error)[] = [ADDRESS],
  kind: 'slack' | 'teams' = 'slack',
) {
  const requests: Request[] = [];
  const { reads, options: common } = options(secrets);
  const answerNext = async (request: Request) => {
    const next = answers[requests.length];
    requests.push(request);
    if (next === undefined) throw new Error('nobody expected this request');
    if (next instanceof Error) throw next;
    return next;
  };
  const client = createFetchClient(answerNext, () => NOW);
  const webhook = createChatWebhook({ ...common, kind, client });
  return { requests, reads, post: () => webhook.post(PAYLOAD) };
}

/** A server on loopback; `null` resets the connection. */
async function listen(
  take: (path: string, body: string) => { status: number; location: string } | null,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const taken = take(request.url ?? '', Buffer.concat(chunks).toString('utf8'));
    if (taken === null) request.socket.resetAndDestroy();
    else response.writeHead(taken.status, { location: taken.location }).end('ok');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
