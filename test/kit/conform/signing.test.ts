import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { parseSigningKey, signed } from '#kit/conform/signing.ts';

const NOW = Date.now();

test('what is signed is what the Standard Webhooks library verifies', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 24, maxLength: 64 }),
      fc.string({ unit: 'grapheme' }),
      (bytes, note) => {
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        const { headers, body } = signed(
          JSON.stringify({ id: 'e1', note }),
          parseSigningKey(secret, '--secret'),
        )(NOW);

        expect(new Webhook(secret).verify(body, headers)).toEqual({ id: 'e1', note });
      },
    ),
  );
});

describe('a secret', () => {
  test.each([
    '',
    'secret',
    'whsec_',
    'whsec_canary!',
    'canary',
    `whsec_${'canary'.repeat(4)}`,
    `whsec_${'canary00'.repeat(12)}`,
  ])('%j is refused and not shown', (secret) => {
    const reading = () => parseSigningKey(secret, '--secret');

    expect(reading).toThrow(
      '--secret is not a signing secret; use "whsec_" followed by 24 to 64 bytes in base64, as your receiver has it',
    );
    expect(reading).not.toThrow('canary');
  });

  test('may come with spaces around it', () => {
    const key = Buffer.alloc(24, 1);

    expect(parseSigningKey(` whsec_${key.toString('base64')}\n`, '--secret')).toEqual(key);
  });
});
