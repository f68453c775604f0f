import { SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { defaultProvider } from '#infra/bundling/environment-credentials.ts';
import { Md5, Sha256 } from '#infra/bundling/native-checksums.ts';
import { CODE_POINT } from '#test/support/code-point.ts';

const { sha256: SdkSha256, md5: SdkMd5 } = new SQSClient({ region: 'local' }).config;
if (SdkMd5 === false) throw new Error('the SQS client has no MD5');

/** Bytes, some of them views into a larger buffer. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.uint8Array({ minLength: 10, maxLength: 200 }).map((whole) => whole.subarray(3, 9)),
);
const secret = fc.oneof(fc.string({ minLength: 1 }), fc.uint8Array({ minLength: 1, maxLength: 200 }));

describe('the replacement for the checksums of the SDK', () => {
  test.each([
    ['SHA-256', Sha256, SdkSha256],
    ['MD5', Md5, SdkMd5],
  ])('%s has the same digest for the same parts, also after a reset', async (_, Ours, Theirs) => {
    await fc.assert(
      fc.asyncProperty(fc.array(bytes), fc.array(bytes), async (first, second) => {
        const ours = new Ours();
        for (const parts of [first, second]) {
          const theirs = new Theirs();
          for (const part of parts) {
            ours.update(part);
            theirs.update(part);
          }
          expect(await ours.digest()).toEqual(await theirs.digest());
          ours.reset();
        }
      }),
    );
  });

  test('has the same keyed digest, and reads text as UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(secret, fc.string({ unit: CODE_POINT }), async (key, text) => {
        const [ours, theirs] = [new Sha256(key), new SdkSha256(key)];
        ours.update(text);
        theirs.update(new TextEncoder().encode(text));
        expect(await ours.digest()).toEqual(await theirs.digest());
      }),
    );
  });
});

test('the replacement for the providers of credentials takes those of the environment, and names what is missing', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
  try {
    const read = defaultProvider();
    const credentials = {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    };
    expect(await read()).toEqual(credentials);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', '');
    await expect(read()).rejects.toThrow('AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set');
  } finally {
    vi.unstubAllEnvs();
  }
});
