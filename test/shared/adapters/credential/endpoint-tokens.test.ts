import { beforeEach, describe, expect, test } from 'vitest';
import { createEndpointTokens } from '#shared/adapters/credential/endpoint-tokens.ts';
import type { OutgoingWebhookRequest, WebhookAnswer } from '#shared/systems/flow/webhook-run.ts';

const CLIENT = {
  tokenUrl: 'https://login.acme.example/token',
  clientId: 'notifier',
  clientSecret: 'canary-5f1c',
};
const BASIC = `Basic ${Buffer.from('notifier:canary-5f1c').toString('base64')}`;

let now: number;
let answer: (asked: number, headers: OutgoingWebhookRequest['headers']) => Partial<WebhookAnswer>;
let requests: OutgoingWebhookRequest[];
let find: ReturnType<typeof createEndpointTokens>['find'];

beforeEach(() => {
  [now, requests] = [0, []];
  answer = (asked) => ({ text: JSON.stringify({ access_token: `token-${asked}`, expires_in: 600 }) });
  const post = async (request: OutgoingWebhookRequest) => {
    const given = answer(requests.push(request), request.headers);
    return { outcome: 'answered', status: 200, retryAfterMs: null, durationMs: 5, ...given } as WebhookAnswer;
  };
  ({ find } = createEndpointTokens({ secretName: 'acme/hook', now: () => now, client: { post } }));
});

describe('client credentials', () => {
  test('are exchanged for a token, which is kept until it expires', async () => {
    expect([await ask(), await ask()]).toEqual(['token-1', 'token-1']);
    now += 600_000;
    expect(await ask()).toBe('token-2');
    expect(requests[0]).toMatchObject({ url: CLIENT.tokenUrl, readsAnswer: true });
    expect(formOf(0)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'notifier',
      client_secret: 'canary-5f1c',
    });
  });

  test('give another token when the endpoint refuses one, and at once when they are replaced', async () => {
    const replaced = { clientSecret: 'canary-next', scope: 'events', audience: 'https://api.acme' };
    expect([await ask(), await ask({ fresh: true })]).toEqual(['token-1', 'token-2']);
    expect(await find({ ...CLIENT, ...replaced }, { fresh: false })).toBe('token-3');
    expect(formOf(2)).toMatchObject({
      client_secret: 'canary-next',
      scope: 'events',
      audience: 'https://api.acme',
    });
  });

  test.each([{ status: 401 }, { status: 400, text: '{"error":"invalid_client","hint":"canary-5f1c"}' }])(
    'go by Basic where the token server does not take them in the body: %j',
    async (refusal) => {
      const give = answer;
      answer = (asked, headers) => (headers.authorization === BASIC ? give(asked, headers) : refusal);
      expect([await ask(), await ask({ fresh: true })]).toEqual(['token-2', 'token-3']);
      expect(requests[1]?.body).toBe('grant_type=client_credentials');
    },
  );

  test('that get no token are not tried again for some seconds', async () => {
    answer = () => ({ status: 500 });
    const refused = async (times: number) => {
      await expect(ask()).rejects.toMatchObject({ code: 'token_refused' });
      expect(requests).toHaveLength(times);
    };
    await refused(1);
    now += 3_999;
    await refused(1);
    now += 1;
    await refused(2);
  });

  test.each<[string, Partial<WebhookAnswer>]>([
    ['are refused', { status: 401, text: '{"error":"invalid_client canary-5f1c"}' }],
    ['get rubbish', { text: '<html>canary-5f1c' }],
    ['get no token', { text: '{}' }],
    ['get no answer', { outcome: 'unanswered', reason: 'timeout' }],
  ])('that %s are told so without secrets', async (_, given) => {
    answer = () => given;
    const error = await ask().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'token_refused', retryable: true });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
  });
});

async function ask({ fresh = false } = {}): Promise<string> {
  return await find(CLIENT, { fresh });
}

function formOf(index: number): object {
  return Object.fromEntries(new URLSearchParams(requests[index]?.body));
}
