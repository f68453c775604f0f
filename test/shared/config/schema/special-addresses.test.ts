import { describe, expect, test } from 'vitest';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { createGuardedLookup, parseTarget } from '#shared/adapters/webhook/target.ts';
import { isPublicAddress } from '#shared/config/schema/special-addresses.ts';
import {
  drawPublicAddresses,
  listHostileAddresses,
  listHostileHosts,
  type ResolvedAddress,
  SPECIAL_BLOCKS,
} from '#test/support/webhook-targets.ts';

const NOTHING_ALLOWED = { http: false, privateAddresses: false };

describe('hostile targets', () => {
  const hosts = listHostileHosts();
  const addresses = listHostileAddresses();

  test('are many, of every special block', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(1_000);
    expect(addresses.length).toBeGreaterThanOrEqual(150);
    expect(new Set(addresses.map(({ block }) => block)).size).toBe(SPECIAL_BLOCKS.length);
  });

  test('written into an address are refused without a question to anybody', async () => {
    const asked: string[] = [];
    const client = createWebhookClient({
      timeoutMs: 15_000,
      allow: NOTHING_ALLOWED,
      now: () => 0,
      resolve: async (name) => {
        asked.push(name);
        return [];
      },
    });
    const passed: string[] = [];
    for (const host of hosts) {
      const answer = await client.post({ url: `https://${host}/hook`, headers: {}, body: '{}' });
      if (answer.outcome !== 'unanswered' || answer.reason !== 'target_forbidden') passed.push(host);
    }

    expect(passed).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('behind a name are refused when it is connected, alone or among public ones', async () => {
    const passed: string[] = [];
    for (const { address, family } of addresses) {
      for (const others of [[], [{ address: '93.184.215.14', family: 4 }]]) {
        const client = createWebhookClient({
          timeoutMs: 15_000,
          allow: NOTHING_ALLOWED,
          now: () => 0,
          resolve: async () => [...others, { address, family }],
        });
        const answer = await client.post({ url: 'https://hook.example/', headers: {}, body: '{}' });
        if (answer.outcome !== 'unanswered' || answer.reason !== 'target_forbidden') passed.push(address);
      }
    }

    expect(passed).toEqual([]);
  });
});

describe('public addresses', () => {
  const addresses = drawPublicAddresses(10_000);

  test('are many, of both families', () => {
    expect(addresses).toHaveLength(10_000);
    expect(addresses.filter(({ family }) => family === 6)).toHaveLength(5_000);
  });

  test('are allowed, in an address and behind a name', async () => {
    const refused: string[] = [];
    for (const { address, family } of addresses) {
      const host = family === 6 ? `[${address}]` : address;
      expect(() => parseTarget(`https://${host}/hook`, NOTHING_ALLOWED)).not.toThrow();
      const given = await lookUp(address, family);
      if (given !== address) refused.push(address);
    }

    expect(refused).toEqual([]);
  });
});

test.each([
  '',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '0x7f.1',
  '8.8.8.8 ',
  'fe80::1%eth0',
  '2600::1%lo',
  '::ffff:8.8.8.8',
])('%j is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

/** The address that a socket gets for a name. */
function lookUp(address: string, family: ResolvedAddress['family']): Promise<string> {
  const lookup = createGuardedLookup(async () => [{ address, family }], NOTHING_ALLOWED);
  return new Promise((resolve, reject) => {
    lookup('hook.example', {}, (error, given) => (error ? reject(error) : resolve(String(given))));
  });
}
