import { inspect } from 'node:util';
import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, test, vi } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import {
  catchError,
  createFakeSource,
  type FakeOptions,
  json,
  type Respond,
  status,
  TOKEN,
} from './fake-source.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl';

describe('error statuses', () => {
  test.each([
    [400, 'source_bad_request', 1],
    [401, 'source_unauthorised', 2],
    [403, 'source_forbidden', 1],
    [404, 'source_not_found', 1],
    [405, 'source_bad_request', 1],
    [409, 'source_conflict', 2],
    [410, 'source_bad_request', 1],
    [422, 'source_bad_request', 1],
    [429, 'source_throttled', 5],
    [500, 'source_failed', 5],
    [502, 'source_failed', 5],
    [503, 'source_failed', 5],
    [504, 'source_failed', 5],
  ])('%i is %s after asking %i times in all', async (code, expected, asked) => {
    const { error, requests } = await failing(() => status(code));

    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ code: expected, status: code });
    expect(requests).toHaveLength(asked);
  });

  test.each([409, 429, 500, 503])('%i once is mended by asking again', async (code) => {
    const { api, time } = createFakeSource((_request, nth) => (nth === 1 ? status(code) : json('hello')));

    expect(await time.run(api.helloWorld())).toBe('hello');
  });

  test('only failures that may pass are called retryable', async () => {
    const retryable: number[] = [];
    for (const code of [400, 401, 403, 404, 409, 422, 429, 500, 503]) {
      const { error } = await failing(() => status(code));
      if (error instanceof SourceError && error.retryable) retryable.push(code);
    }
    expect(retryable).toEqual([409, 429, 500, 503]);
  });

  test('a network that fails is tried again, and then the source is unreachable', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const { error, requests } = await failing(() => {
      throw new TypeError('fetch failed', { cause });
    });

    expect(error).toMatchObject({ code: 'source_unreachable', status: null, retryable: true });
    expect(String(error)).toContain('(ECONNREFUSED)');
    expect(requests).toHaveLength(5);
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed, not even to the same host', async (code) => {
    const { error, requests } = await failing(() =>
      status(code, '', { location: 'https://acme.example/api/v1/elsewhere' }),
    );

    expect(error).toMatchObject({ code: 'source_redirected', status: code, retryable: false });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.redirect).toBe('manual');
  });

  test.each([201, 204, 206])('%i is no answer to a question', async (code) => {
    const { error } = await failing(() => status(code));

    expect(error).toMatchObject({ code: 'source_bad_response', status: code });
  });
});

describe('a rejected token', () => {
  test('is renewed once, and the request repeated once', async () => {
    const credential = rotating('old-token', 'new-token');
    const { api, time, requests } = createFakeSource(
      (request) => (bearer(request) === 'new-token' ? json('hello') : status(401)),
      { credential },
    );

    expect(await time.run(api.helloWorld())).toBe('hello');
    expect(requests.map(bearer)).toEqual(['old-token', 'new-token']);
    expect(credential.refused).toEqual(['old-token']);
  });

  test('stays rejected when the new one is rejected too', async () => {
    const credential = rotating('old-token', 'new-token');
    const { error, requests } = await failing(() => status(401), { credential });

    expect(error).toMatchObject({ code: 'source_unauthorised', status: 401, credentialRejected: true });
    expect(requests.map(bearer)).toEqual(['old-token', 'new-token']);
  });

  test('a token that is rejected is not requested twice', async () => {
    const refusal = new SourceError('source_unauthorised', 'no token', { status: 401 });
    let asked = 0;
    const token = async () => {
      asked += 1;
      throw refusal;
    };
    const { error, requests } = await failing(() => json('hello'), {
      credential: { secretName: 'acme/token', token, renew: token },
    });

    expect(error).toBe(refusal);
    expect([asked, requests.length]).toEqual([1, 0]);
  });

  test('403 is forbidden, and never an empty list', async () => {
    const { source, time } = createFakeSource(() => status(403, '[]'));

    const end = await time.run(source.pages('pay-periods', null).next());

    expect(end).toMatchObject({
      done: true,
      value: { complete: false, error: { code: 'source_forbidden' } },
    });
  });
});

describe('messages', () => {
  test('say what, where and how to mend it', async () => {
    expect(await messageOf(() => status(401))).toBe(
      'the source refused the token (401) at https://acme.example/api/v1/timesheets; put a valid token into the secret "acme/token"',
    );
    expect(await messageOf(() => status(503, 'down for\r\nthe night'))).toBe(
      'the source failed (503) at https://acme.example/api/v1/timesheets; ask who runs it if this lasts',
    );
    expect(await saidOf(() => status(503, 'down for\r\nthe night'))).toBe('down for the night');
    expect(await saidOf(() => status(401))).toBeNull();
  });

  const BETWEEN =
    /^a firewall or proxy between refused it \(403\) at https:.* let requests of workforce-change-notifier/;

  test.each([
    ['a page', '<html><h1>403 Forbidden</h1></html>'],
    ['a page behind a byte order mark', '\ufeff\r\n<!DOCTYPE html>'],
    ['words', 'Request blocked. Reference #18.2d3c'],
  ])('blame the firewall that answers 403 with %s, and not the token', async (_what, body) => {
    const { error } = await failing(() => status(403, body));
    expect(error).toMatchObject({ code: 'source_bad_response', status: 403, retryable: false });
    expect((error as Error).message).toMatch(BETWEEN);
    expect((error as Error).message).not.toMatch(/token|credential|secret/);
  });

  test.each(['{"title":"Forbidden"}', ' ["no"]', '"no"'])(
    'blame the credential when the source itself says so in JSON: %s',
    async (body) => {
      const { error } = await failing(() => status(403, body));
      expect(error).toMatchObject({ code: 'source_forbidden', status: 403 });
      expect((error as Error).message).toContain('let the credential in the secret "acme/token" read it');
      expect((error as Error).message).not.toContain('firewall');
    },
  );

  test('name both when nobody says who answers 403', async () => {
    const message = await messageOf(() => status(403));
    expect(message).toMatch(
      /"acme\/token" read it, or let requests of .* through a firewall or proxy between$/,
    );
  });

  test.each(['', '<html>', '{}'])(
    'blame the proxy that wants to know who asks (407 with %j)',
    async (body) => {
      const { error } = await failing(() => status(407, body));
      expect(error).toMatchObject({ code: 'source_bad_response', status: 407 });
      expect((error as Error).message).toMatch(/^a firewall or proxy between refused it \(407\)/);
    },
  );

  test('begin in lower case, end without full stop, and leave the query out', async () => {
    for (const code of [302, 204, 400, 401, 403, 404, 409, 422, 429, 500]) {
      const message = await messageOf(() => status(code));
      expect(message).toMatch(/^[a-z].*[^.]$/);
      expect(message).toContain('https://acme.example/api/v1/timesheets');
      expect(message).not.toContain('2026-03-01');
    }
  });

  test.each([
    ['our token', `token was ${TOKEN}`],
    ['our token at the edge of the excerpt', `${'x'.repeat(495)} ${TOKEN}`],
    ['a bearer token', `Authorization: Bearer canary.of-somebody`],
    ['a JWT', `who is ${JWT}?`],
    ['a JWT as JSON', JSON.stringify({ access_token: 'canary', seen: JWT })],
    ['a client secret', 'client_secret=canary&grant_type=client_credentials'],
    ['an api key', '{"x-api-key": "canary"}'],
  ])('mask %s that the source repeats', async (_what, body) => {
    for (const code of [400, 401, 500]) {
      expect(await saidOf(() => status(code, body))).not.toMatch(/canary|eyJ/);
    }
  });

  test('keep at most 500 characters of what the source said, in one line', async () => {
    const said = await saidOf(() => status(500, 'A\n\u001b[31m\u2028'.repeat(100_000)));

    expect(said?.length).toBeGreaterThan(400);
    expect(said?.length).toBeLessThanOrEqual(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(said).not.toMatch(/[\u0000-\u001f\u2028]/);
  });

  test.each([400, 401, 403, 404, 409, 429, 500])(
    'what the source says with %i is in nothing that a logger prints of the error',
    async (code) => {
      const { error } = await failing(() => status(code, '{"error":"no timesheet of Jane Doe, 12 Elm St"}'));

      expect((error as SourceError).said).toContain('Jane Doe');
      for (const printed of printedForms(error)) expect(printed).not.toContain('Jane Doe');
    },
  );

  test('nor is what was sent instead of HTTP, which the parser keeps in its own error', async () => {
    const parserError = Object.assign(new Error('Response does not match the HTTP/1.1 protocol'), {
      code: 'HPE_INVALID_CONSTANT',
      data: 'Jane Doe, 12 Elm St',
    });
    const { error } = await failing(() =>
      Promise.reject(new TypeError('fetch failed', { cause: parserError })),
    );

    expect((error as SourceError).message).toContain('HPE_INVALID_CONSTANT');
    for (const printed of printedForms(error)) expect(printed).not.toContain('Jane Doe');
  });

  test('errors hold no request, so that a logger cannot print the token out of one', async () => {
    for (const respond of [() => status(401), () => Promise.reject(new TypeError('fetch failed'))]) {
      const { error } = await failing(respond);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
    }
  });
});

async function failing(respond: Respond, options: FakeOptions = {}) {
  const { api, time, requests } = createFakeSource(respond, options);
  const error = await time.run(
    catchError(api.listTimesheets({ dateFrom: '2026-03-01', dateTo: '2026-03-02' })),
  );
  return { error, requests };
}

async function saidOf(respond: Respond): Promise<string | null> {
  const { error } = await failing(respond);
  return error instanceof SourceError ? error.said : null;
}

/** An error as programs, consoles and the logger of the functions print it. */
function printedForms(error: unknown): string[] {
  const lines: string[] = [];
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const spy = vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)));
  new Logger().error('failed', error as Error);
  spy.mockRestore();
  vi.unstubAllEnvs();
  expect(lines).toHaveLength(1);
  const all = { depth: 20, showHidden: true };
  return [
    ...lines,
    JSON.stringify(error),
    String(error),
    inspect(error, all),
    String((error as Error).stack),
  ];
}

async function messageOf(respond: Respond): Promise<string> {
  const { error } = await failing(respond);
  return error instanceof Error ? error.message : '';
}

function bearer(request: Request): string | undefined {
  return request.headers.get('authorization')?.replace('Bearer ', '');
}

function rotating(first: string, second: string) {
  const refused: string[] = [];
  return {
    secretName: 'acme/token',
    refused,
    token: async () => first,
    renew: async (token: string) => {
      refused.push(token);
      return second;
    },
  };
}
