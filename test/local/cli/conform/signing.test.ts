import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { signed, signingKey } from '#local/cli/conform/signing.ts';

const NOW = Date.now();

test('what is signed is what the Standard Webhooks library verifies', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.string({ unit: 'grapheme' }),
      (bytes, note) => {
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        const { headers, body } = signed(
          JSON.stringify({ id: 'e1', note }),
          signingKey(secret, '--secret'),
        )(NOW);

        expect(new Webhook(secret).verify(body, headers)).toEqual({ id: 'e1', note });
      },
    ),
  );
});

describe('a secret', () => {
  test.each(['', 'secret', 'whsec_', 'whsec_canary!', 'canary'])('%j is refused and not shown', (secret) => {
    const reading = () => signingKey(secret, '--secret');

    expect(reading).toThrow(
      '--secret is no signing secret; give "whsec_" and what follows it in base64, as your receiver has it',
    );
    expect(reading).not.toThrow('canary');
  });

  test('may come with spaces around it', () => {
    expect(signingKey(' whsec_AAEC\n', '--secret')).toEqual(Buffer.from([0, 1, 2]));
  });
});
