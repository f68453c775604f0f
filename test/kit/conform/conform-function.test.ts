import { afterEach, describe, expect, test } from 'vitest';
import { conform } from 'workforce-change-notifier/testing';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { type Receiver, startReceiver } from './receivers.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;

let receiver: Receiver | null = null;

afterEach(async () => {
  await receiver?.close();
  receiver = null;
});

describe('conform in a test of a subscriber', () => {
  test('says what is wrong and how to fix it, and what was not run for lack of a probe', async () => {
    receiver = await startReceiver([SECRET], 'refuses unknown fields');
    const { checks, wrong, skipped } = await conform({ url: receiver.url, secret: SECRET });
    expect(wrong).toEqual([
      expect.objectContaining({
        sent: 'unknown fields',
        expected: '2xx',
        mend: 'ignore unknown fields: new ones are added, none is ever renamed or removed',
      }),
    ]);
    expect(checks.length).toBeGreaterThan(SHORT_EVENT_TYPES.length);
    expect(skipped).toContain('the events of a record in reverse');
  });

  test('finds a receiver that keeps the wrong state, by its probe', async () => {
    receiver = await startReceiver([SECRET], 'applies in order of arrival');
    const { url, probeUrl: probe } = receiver;
    const { wrong, skipped } = await conform({ url, probe, secret: SECRET });
    expect(wrong.map(({ sent }) => sent)).toContain('the events of a record in reverse');
    expect(skipped).toEqual([]);
  });

  test.each([
    [{ url: 'localhost:3000', secret: SECRET }, 'address_invalid', 'url is "localhost:3000"'],
    [{ url: 'http://127.0.0.1:1/', secret: SECRET, probe: 'x' }, 'address_invalid', 'probe is "x"'],
    [{ url: 'http://127.0.0.1:1/', secret: 'canary' }, 'secret_invalid', 'secret is not a signing secret'],
    [
      { url: 'http://127.0.0.1:1/', secret: SECRET, previousSecret: 'canary' },
      'secret_invalid',
      'previousSecret is not',
    ],
    [{ url: 'http://127.0.0.1:1/', secret: SECRET }, 'receiver_unreachable', 'nothing answers'],
  ])('refuses %j', async (options, code, message) => {
    const refusal = { code, message: expect.stringContaining(message) };
    await expect(conform(options)).rejects.toMatchObject(refusal);
  });
});
