import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createNodeTransport } from '#shared/adapters/workforce-api/http/transport.ts';
import { startForwardProxy } from '#test/support/forward-proxy.ts';
import { startReceiver, type TestReceiver } from '#test/support/webhook-receiver.ts';

let proxy: Awaited<ReturnType<typeof startForwardProxy>>;
let source: TestReceiver;

beforeEach(async () => {
  proxy = await startForwardProxy();
  source = await startReceiver((_, response) => response.end('"by the source"'));
});

afterEach(async () => {
  await proxy.stop();
  await source.stop();
});

describe('with a proxy in the environment', () => {
  test('a request goes through it', async () => {
    expect(await get('http://workforce.example/api')).toBe('"by the proxy"');
    await expect(get('https://workforce.example/api')).rejects.toMatchObject({ code: 'ERR_PROXY_TUNNEL' });
    expect(proxy.asked).toEqual(['GET http://workforce.example/api', 'CONNECT workforce.example:443']);
  });

  test.each(['127.0.0.1', 'localhost'])('a request to this machine (%s) does not', async (host) => {
    expect(await get(`http://${host}:${source.port}/api`)).toBe('"by the source"');
    expect(proxy.asked).toEqual([]);
  });

  test('a request to a host of NO_PROXY does not', async () => {
    const asked = get('http://workforce.invalid/api', { NO_PROXY: 'workforce.invalid' });
    await expect(asked).rejects.toMatchObject({ syscall: 'getaddrinfo' });
    expect(proxy.asked).toEqual([]);
  });
});

async function get(url: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const transport = createNodeTransport(1_000, { ...proxy.environment, ...variables });
  const answer = await transport(new Request(url));
  return Buffer.from(await answer.bytes()).toString();
}
