import { describe, expect, test } from 'vitest';
import { createChatWebhook } from '#shared/adapters/chat/chat-webhook.ts';
import { parseWebhookAddress } from '#shared/adapters/chat/secret-text.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { answer, createChatSide, later, refused, TAKEN } from './chat-side.ts';

const ADDRESS = 'https://hooks.slack.com/services/T0/B0/canary';
const NEW_ADDRESS = 'https://hooks.slack.com/services/T0/B1/canary';
const TEAMS = 'https://acme.webhook.office.com/webhookb2/canary';
const PAYLOAD = { text: 'Zoë closed it', blocks: [] };
const OK = () => answer(200, 'ok', { 'content-type': 'text/html' });

test('a payload is posted as JSON, once', async () => {
  const { requests, post } = chat([OK()]);
  expect(await post()).toEqual(TAKEN);
  const [request] = requests;
  expect([requests.length, request?.method, request?.url]).toEqual([1, 'POST', ADDRESS]);
  expect(request?.headers.get('content-type')).toBe('application/json');
  expect(await request?.json()).toEqual(PAYLOAD);
});

describe('an answer is understood', () => {
  const failed = (status: string) =>
    `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId tcid=0,server=canary`;
  const UNEXPECTED = refused('answer_unexpected');
  const date = { 'retry-after': 'Mon, 16 Nov 2026 00:00:09 GMT' };

  test.each<[string, Response, object]>([
    ['ok', OK(), TAKEN],
    ['nothing with 200', answer(200, ''), TAKEN],
    ['a page', answer(200, ' <!doctype html>'), UNEXPECTED],
    ['what Teams calls success', answer(200, '1'), UNEXPECTED],
    ['a word', answer(200, 'not_ok'), UNEXPECTED],
    ['more than ok', answer(200, 'OK, but canary'), UNEXPECTED],
    ['an object', answer(200, '{"ok":true}'), UNEXPECTED],
    ['a message it does not take', answer(400, 'invalid_payload'), refused('invalid_payload')],
    ['words', answer(400, 'Something <b>canary</b>'), refused('http_400')],
    ['too large', answer(413, ''), refused('http_413')],
    ['an archived channel', answer(410, 'channel_is_archived\n'), refused('channel_is_archived')],
    ['no hook', answer(404, 'no_service'), refused('no_service')],
    ['forbidden', answer(403, 'action_prohibited'), refused('action_prohibited')],
    ['another place', answer(302, '', { location: 'https://canary.example' }), refused('http_302')],
    ['an error', answer(500, 'rollup_error'), later('rollup_error')],
    ['an outage', answer(503, '', { 'retry-after': '30' }), later('http_503', 30_000)],
    ['too many', answer(429, 'rate_limited', { 'retry-after': '7' }), later('rate_limited', 7_000)],
    ['too many until a date', answer(429, '', date), later('http_429', 9_000)],
    ['too many for a while', answer(429, '', { 'retry-after': 'soon' }), later('http_429')],
    ['too early', answer(425, ''), later('http_425')],
    ['too slow', answer(408, ''), later('http_408')],
  ])('of Slack: %s', async (_, response, expected) => {
    expect(await chat([response]).post()).toEqual(expected);
  });

  test.each<[string, Response, object]>([
    ['a workflow that accepted it', answer(202, ''), TAKEN],
    ['a connector that posted it', answer(200, '1'), TAKEN],
    ['a connector that posted it, with a line end', answer(200, '1\r\n'), TAKEN],
    ['a limit in words', answer(200, failed('429')), later('http_429')],
    ['a limit in words of a workflow', answer(202, failed('429')), later('http_429')],
    ['an outage in words', answer(200, failed('503')), later('http_503')],
    ['a message too large, in words', answer(200, failed('413')), refused('http_413')],
    ['a success in words', answer(200, failed('200')), UNEXPECTED],
    ['a failure without a status', answer(200, 'Webhook message delivery failed'), UNEXPECTED],
    ['what Slack calls success', OK(), UNEXPECTED],
    ['an object', answer(200, '{"error":"throttled"}'), UNEXPECTED],
    ['another number', answer(200, '0'), UNEXPECTED],
  ])('of Teams: %s', async (_, response, expected) => {
    expect(await chat([response], [TEAMS], 'teams').post()).toEqual(expected);
  });

  test('that never comes is one for later, and says nothing of the address', async () => {
    const cause = Object.assign(new Error(`canary ${ADDRESS}`), { code: 'ENOTFOUND' });
    expect(await chat([cause]).post()).toEqual(later('name_unknown'));
  });

  test('in which an address is gone in words has it read anew', async () => {
    const replaced = 'https://prod-1.westeurope.logic.azure.com/workflows/canary';
    const { post, reads } = chat([answer(200, failed('404')), answer(202, '')], [TEAMS, replaced], 'teams');
    expect([await post(), reads]).toEqual([TAKEN, [false, true]]);
  });
});

describe('an address that is not known any more', () => {
  test.each([401, 403, 404, 410, 301])('(%d) is read anew, and the new one is used', async (status) => {
    const { requests, reads, post } = chat([answer(status, ''), OK()], [ADDRESS, NEW_ADDRESS]);
    expect([await post(), reads]).toEqual([TAKEN, [false, true]]);
    expect(requests.map(({ url }) => url)).toEqual([ADDRESS, NEW_ADDRESS]);
  });

  test.each([
    ['and is the same as before counts as refused', [ADDRESS], 'no_service', 1],
    ['is not tried a third time', [ADDRESS, NEW_ADDRESS], 'http_403', 2],
  ])('%s', async (_, secrets, reason, asked) => {
    const { requests, post } = chat([answer(404, 'no_service'), answer(403, '')], secrets);
    expect(await post()).toEqual(refused(reason));
    expect(requests).toHaveLength(asked);
  });
});

describe('the secret', () => {
  const GOV = 'https://hooks.slack-gov.com/services/T0/B0/x';
  const LOCAL = 'http://127.0.0.1:4000/slack/payroll';

  test.each([
    ['slack', ADDRESS, ADDRESS],
    ['slack', ` ${ADDRESS}\n`, ADDRESS],
    ['slack', JSON.stringify({ url: ADDRESS }), ADDRESS],
    ['slack', GOV, GOV],
    ...[
      'https://prod-12.westeurope.logic.azure.com/workflows/a/triggers/manual/paths/invoke?sig=x',
      'https://prod-00.usgovvirginia.logic.azure.us/workflows/a',
      'https://default1f.a0.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/a',
      'https://default1f.a0.environment.api.gov.powerplatform.microsoft.us/powerautomate/a',
      'https://acme.webhook.office.com/webhookb2/a',
      'https://outlook.office.com/webhook/a',
    ].map((text) => ['teams', text, text] as const),
  ] as const)('of %s may be %j', (kind, text, address) => {
    const read = (of: 'slack' | 'teams') =>
      parseWebhookAddress(text, { kind: of, secretName: 's', allowHttp: false });
    expect(read(kind)).toBe(address);
    expect(() => read(kind === 'slack' ? 'teams' : 'slack')).toThrow('holds an address of another host');
  });

  test('may be http of this machine where that is allowed, and never of another', () => {
    const read = (text: string, allowHttp: boolean) =>
      parseWebhookAddress(text, { kind: 'slack', secretName: 's', allowHttp });
    expect(read(LOCAL, true)).toBe(LOCAL);
    expect(() => read(LOCAL, false)).toThrow('not https');
    expect(() => read('http://10.0.0.7:4000/slack/payroll', true)).toThrow('not https');
  });

  const NONE = 'holds no address of an incoming webhook';
  const NO_HTTPS = 'holds an address that is not https';
  const ELSEWHERE = 'holds an address of another host';
  const RENAME = 'remove it, or rename it to one of url';

  test.each<[string, string]>([
    ['', NONE],
    ['canary', NONE],
    ['{"url": canary', NONE],
    ['{"url": 7}', NONE],
    ['https://canary:secret@hooks.slack.com/', NONE],
    ['https://canary@hooks.slack.com/', NONE],
    ['{"address": "https://canary.example"}', `has an unknown member "address"; ${RENAME}`],
    [JSON.stringify({ url: ADDRESS, note: 'canary' }), `has an unknown member "note"; ${RENAME}`],
    ['http://canary.example/services', NO_HTTPS],
    ['file:///canary', NO_HTTPS],
    ['https://canary.example', ELSEWHERE],
    ['https://hooks.slack.com.canary.example', ELSEWHERE],
    ['https://canary-hooks.slack.com', ELSEWHERE],
    ['https://hooks.slack.com./canary', ELSEWHERE],
    ['https://slack.com/canary', ELSEWHERE],
    ['https://10.0.0.7/canary', ELSEWHERE],
  ])('of Slack is not %j, and the error says so without it', async (text, what) => {
    const error = await chat([], [text])
      .post()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'NotifierError',
      code: 'secret_invalid',
      retryable: false,
      message: `the secret "slack/payroll" ${what}; put the address that Slack shows for it (https://hooks.slack.com/services/...) into it, or {"url": ...} with it`,
    });
    expect((error as Error).cause).toBeUndefined();
    expect(String((error as Error).stack)).not.toContain('canary');
  });

  test.each([
    'https://teams.example/canary',
    'https://logic.azure.com.canary.example/',
    'https://canary-logic.azure.com/',
  ])('of Teams is not %s', async (text) => {
    await expect(chat([], [text], 'teams').post()).rejects.toThrow(
      `${ELSEWHERE}; put the address that the workflow of Teams shows`,
    );
  });

  test('that cannot be read makes the post fail', async () => {
    const unreadable = new NotifierError('secret_unreadable', 'no', { retryable: true });
    await expect(chat([], [unreadable]).post()).rejects.toBe(unreadable);
  });
});

function chat(
  answers: readonly (Response | Error)[],
  secrets: readonly (string | Error)[] = [ADDRESS],
  kind: 'slack' | 'teams' = 'slack',
) {
  const { requests, reads, options } = createChatSide(answers, secrets);
  const webhook = createChatWebhook({ ...options, kind, allowHttp: false });
  return { requests, reads, post: () => webhook.post(PAYLOAD) };
}
