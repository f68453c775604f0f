import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAddresses } from '#shared/adapters/workforce-api/addresses.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';

describe('a base URL', () => {
  test.each([
    ['https://acme.example', 'https://acme.example/api/v1/timesheets'],
    ['https://acme.example/', 'https://acme.example/api/v1/timesheets'],
    ['https://acme.example/api/v1', 'https://acme.example/api/v1/timesheets'],
    ['https://acme.example/api/v1/', 'https://acme.example/api/v1/timesheets'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/api/v1/timesheets'],
    ['https://acme.example/tenants/a/', 'https://acme.example/tenants/a/api/v1/timesheets'],
    ['https://acme.example/tenants/a/api/v1', 'https://acme.example/tenants/a/api/v1/timesheets'],
    ['https://acme.example/my-api/v1', 'https://acme.example/my-api/v1/api/v1/timesheets'],
  ])('%s leads to %s', (baseUrl, address) => {
    expect(createAddresses(baseUrl).operation('/timesheets').href).toBe(address);
  });

  test.each([
    'acme.example',
    'ftp://acme.example',
    'https://user:secret@acme.example',
    'https://acme.example/?tenant=a',
    'https://acme.example/#a',
    '',
  ])('%j is refused without being repeated', (baseUrl) => {
    expect(() => createAddresses(baseUrl)).toThrow(NotifierError);
    expect(() => createAddresses(baseUrl)).not.toThrow(/secret/);
  });
});

describe('nextPage', () => {
  const bases = [
    ['https://acme.example', 'https://acme.example/api/v1'],
    ['https://acme.example/tenants/a/', 'https://acme.example/tenants/a/api/v1'],
    ['https://acme.example/tenants/a/api/v1/', 'https://acme.example/tenants/a/api/v1'],
  ] as const;

  test.each(bases)('is read from %s in every spelling', (baseUrl, api) => {
    const prefix = new URL(api).pathname.replace('/api/v1', '');
    for (const spelling of [
      '/api/v1/timesheets?page=2',
      'api/v1/timesheets?page=2',
      '/timesheets?page=2',
      'timesheets?page=2',
      `${prefix}/api/v1/timesheets?page=2`,
      `${api}/timesheets?page=2`,
    ])
      expect(next(baseUrl, spelling).href).toBe(`${api}/timesheets?page=2`);
  });

  test.each([
    'https://evil.example/api/v1/timesheets?page=2',
    'http://acme.example/api/v1/timesheets?page=2',
    'https://acme.example:8443/api/v1/timesheets',
    'https://user:secret@acme.example/api/v1/timesheets',
    '//evil.example/api/v1/timesheets',
    '/\\evil.example/api/v1/timesheets',
    '\\\\evil.example\\api',
    '/\t/evil.example/api/v1/timesheets',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:application/json,[]',
    '/api/v1/../../admin',
    '/api/v1/%2e%2e/%2e%2e/admin',
    '../../admin',
    'https://acme.example/admin',
  ])('%j leads away and is not followed', (nextPage) => {
    const redirected = expect.objectContaining({ name: 'SourceError', code: 'source_redirected' });
    expect(() => next('https://acme.example', nextPage)).toThrow(redirected);
  });

  test('never leaves the API, whatever it says', () => {
    const part = fc.constantFrom(...'/ // \\ .. . @ : ? # %2e api/v1 https: evil'.split(' '));
    const text = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => parts.join('')),
      fc.webUrl(),
    );
    fc.assert(
      fc.property(text, (nextPage) => {
        const url = orNull(() => next('https://acme.example/a', nextPage));
        return url === null || url.href.startsWith('https://acme.example/a/api/v1/');
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ['https://acme.example/api/v1', '/oauth/token', 'https://acme.example/oauth/token'],
  ['https://acme.example/a/', '/oauth/token', 'https://acme.example/a/oauth/token'],
  ['https://acme.example', 'oauth/token', 'https://acme.example/oauth/token'],
  ['https://acme.example', 'https://evil.example/oauth/token', null],
  ['https://acme.example', '//evil.example/oauth/token', null],
  ['https://acme.example', '/\\evil.example/', null],
])('beside the API of %s, %j is %j', (baseUrl, path, address) => {
  expect(orNull(() => createAddresses(baseUrl).beside(path))?.href ?? null).toBe(address);
});

function next(baseUrl: string, nextPage: string): URL {
  return createAddresses(baseUrl).nextPage(nextPage);
}

function orNull(make: () => URL): URL | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}
