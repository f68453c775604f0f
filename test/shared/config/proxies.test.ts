import { describe, expect, test } from 'vitest';
import { readProxies } from '#shared/config/proxies.ts';

const PROXY = 'http://proxy.acme.example:3128';
const LOOPBACK = 'localhost,127.0.0.1,127.0.0.1-127.255.255.255,::1';

describe('the proxies of an environment', () => {
  test.each([{}, { HTTPS_PROXY: '' }, { NO_PROXY: 'acme.example' }, { ALL_PROXY: PROXY }])(
    'are none with %j',
    (variables) => {
      expect(readProxies(variables)).toBeUndefined();
    },
  );

  test('are those of its variables, and this machine is asked without one', () => {
    expect(readProxies({ HTTPS_PROXY: PROXY, NO_PROXY: '.acme.example' })).toEqual({
      HTTPS_PROXY: PROXY,
      NO_PROXY: `.acme.example,${LOOPBACK}`,
    });
    expect(readProxies({ http_proxy: PROXY, HTTP_PROXY: 'http://other.example' })).toEqual({
      HTTP_PROXY: PROXY,
      NO_PROXY: LOOPBACK,
    });
  });

  test.each(['proxy.acme.example:3128', 'socks5://proxy.acme.example', 'ana:canary@proxy', 'http://'])(
    'are refused when they would be ignored: %s',
    (address) => {
      expect(() => readProxies({ HTTPS_PROXY: address })).toThrow(
        'HTTPS_PROXY is no address of an HTTP proxy; write it as http://HOST:PORT, or take it out',
      );
    },
  );
});
