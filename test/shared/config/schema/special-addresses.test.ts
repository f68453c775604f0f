import { describe, expect, test } from 'vitest';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { isPublicAddress } from '#shared/config/schema/special-addresses.ts';

/** The IANA registries of special-purpose addresses, and multicast: the first and last address of each block. */
const SPECIAL = [
  ...['0.0.0.0 0.255.255.255', '10.0.0.0 10.255.255.255', '100.64.0.0 100.127.255.255'],
  ...['127.0.0.0 127.255.255.255', '169.254.0.0 169.254.255.255', '172.16.0.0 172.31.255.255'],
  ...['192.0.0.0 192.0.0.255', '192.0.2.0 192.0.2.255', '192.31.196.0 192.31.196.255'],
  ...['192.52.193.0 192.52.193.255', '192.88.99.0 192.88.99.255', '192.168.0.0 192.168.255.255'],
  ...['192.175.48.0 192.175.48.255', '198.18.0.0 198.19.255.255', '198.51.100.0 198.51.100.255'],
  ...['203.0.113.0 203.0.113.255', '224.0.0.0 239.255.255.255', '240.0.0.0 255.255.255.255'],
  ...[
    ':: ::1',
    '::8.8.8.8 ::ffff:8.8.8.8',
    '::ffff:10.0.0.1 ::ffff:0:8.8.8.8',
    '64:ff9b::808:808 64:ff9b:1::',
  ],
  ...['100:: 1fff:ffff::', '2001:: 2001:1ff:ffff:ffff::', '2001:db8:: 2001:db8:ffff:ffff::'],
  ...['2002:: 2002:ffff:ffff::', '2620:4f:8000:: 2620:4f:8000:ffff::', '3fff:: 3fff:fff:ffff::'],
  ...['4000:: 5f00::', 'fc00:: fdff:ffff::', 'fe80:: febf:ffff::', 'fec0:: ff02::1'],
].flatMap((block) => block.split(' '));

/** On both sides of the blocks. */
const PUBLIC = [
  ...[
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0'],
  ...['192.0.3.0', '192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0', '192.88.98.255'],
  ...['192.88.100.0', '192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0', '198.17.255.255'],
  ...['198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...[
    '2000::',
    '2000:ffff:ffff::',
    '2001:200::',
    '2001:db7:ffff::',
    '2001:db9::',
    '2001:ffff:ffff::',
    '2003::',
  ],
  ...['2620:4f:7fff:ffff::', '2620:4f:8001::', '3ffe:ffff::', '3fff:1000::', '2606:4700:4700::1111'],
];

/** What some parser takes for 127.0.0.1, 10.0.0.7 or 169.254.169.254, and names of this machine or network. */
const HOSTS = [
  ...['127.0.0.1', '127.0.0.1.', '2130706433', '0x7f000001', '0X7F000001', '017700000001', '0177.0.0.01'],
  ...['00000177.0.0.1', '0x7f.0x0.0x0.0x1', '127.1', '127.0.1', '0x7f.00.1', '１２７.0.0.1', '127%2e0.0.1'],
  ...['127\u30020\u30020\u30021', 'user@10.0.0.7', '10.0.0.7:443', '169.254.169.254:8443', '127.0.0.1:9001'],
  ...['[::1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[FE80::1]', '[fe80::1]:8443'],
  ...['[::ffff:10.0.0.7]', '[::ffff:a00:7]', '[0:0:0:0:0:FFFF:10.0.0.7]', '[::10.0.0.7]', '[64:ff9b::a00:7]'],
  ...[
    '[2002:a00:7::1]',
    '[2001:0:a00:7:0:0:f5ff:fff8]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
  ],
  ...['hook.local', 'ip-10-0-0-1.ec2.internal', 'hook.example.', 'user:password@8.8.8.8'],
];

describe('an address that is not a server on the public internet', () => {
  test.each(SPECIAL)('%s, is refused, also behind a name, alone or among public ones', async (address) => {
    expect(isPublicAddress(address)).toBe(false);
    const family = address.includes(':') ? 6 : 4;
    for (const others of [[], [{ address: '93.184.215.14', family: 4 }]])
      expect(await ask('hook.example', [...others, { address, family }])).toMatchObject({
        reason: 'target_forbidden',
      });
  });

  test.each(HOSTS)('or the name of none, is refused without a question to anybody: %s', async (host) => {
    expect(await ask(host, null)).toMatchObject({ reason: 'target_forbidden' });
  });

  test.each(['', '1.2.3', '1.2.3.4.5', '0x7f.1', '8.8.8.8 ', 'fe80::1%eth0', '2600::1%lo'])(
    'or no address at all, is refused: %j',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );
});

test.each(PUBLIC)('a public address is allowed: %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

/** Posts to a host that nobody is to be asked for, or that has these addresses. */
async function ask(host: string, resolved: readonly { address: string; family: number }[] | null) {
  const client = createWebhookClient({
    timeoutMs: 15_000,
    allow: { http: false, privateAddresses: false },
    now: () => 0,
    resolve: async () => {
      if (resolved === null) throw new Error('nobody is to be asked');
      return [...resolved];
    },
  });
  return await client.post({ url: `https://${host}/hook`, headers: {}, body: '{}' });
}
