import { afterEach, expect, test } from 'vitest';
import { checkDeliveries } from '#shared/operator/doctor/delivery-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import { createFetchClient } from '#test/support/fetch-client.ts';

const CHANNEL = { kind: 'slack', name: 'payroll', secretName: 'slack/payroll', channelId: 'C0123456789' };
const asked: string[] = [];

afterEach(() => {
  asked.length = 0;
});

test('a token that Slack takes is ok, and nothing is posted', async () => {
  expect(await check({ answer: '{"ok":true,"user":"notifier"}' })).toEqual({
    about: 'slack payroll',
    outcome: 'ok',
    says: 'Slack takes the token in the secret slack/payroll; test --to slack/payroll shows whether the bot may post',
  });
  expect(asked).toEqual(['https://slack.com/api/auth.test']);
});

test.each([
  ['token_revoked', 'wrong', 'Slack does not take the token in it (token_revoked)'],
  ['ratelimited', 'warning', 'Slack did not answer (ratelimited)'],
])('a token to which Slack says %s is found', async (error, outcome, says) => {
  const found = await check({ answer: JSON.stringify({ ok: false, error }) });
  expect(found).toMatchObject({ outcome, says });
  expect(JSON.stringify(found)).not.toContain('canary');
});

test('a secret without a token is found, and Slack is not asked', async () => {
  const found = await check({ secret: 'https://hooks.slack.com/services/canary' });
  expect(found).toMatchObject({
    outcome: 'wrong',
    says: 'the secret "slack/payroll" holds no token of a Slack bot',
  });
  expect(asked).toEqual([]);
});

test('of a run on one machine Slack is not asked: its token is for the receiver there', async () => {
  expect(await check({ redirects: true })).toMatchObject({
    outcome: 'ok',
    says: 'the secret slack/payroll holds a token',
  });
  expect(asked).toEqual([]);
});

async function check({ answer = '{}', secret = 'xoxb-1111-canary', redirects = false }) {
  const ask = async ({ url }: Request) => {
    asked.push(url);
    return new Response(answer);
  };
  const target = {
    config: { people: { channels: [CHANNEL] }, webhooks: [] },
    connections: [],
    readSecret: () => async () => secret,
    redirects,
    system: { now: () => 0 },
  } as unknown as Target;
  const [found] = await checkDeliveries(target, () => createFetchClient(ask, () => 0));
  return found;
}
