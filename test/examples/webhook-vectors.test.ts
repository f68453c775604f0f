import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { verifyWebhook, type WebhookRequest } from 'workforce-change-notifier';
import { comparePositions } from '#shared/core/events/event-order.ts';

/** The requests and orders by which receivers in every language are tested. */

interface RequestVector {
  readonly name: string;
  readonly secrets: readonly string[];
  /** Seconds since 1970. */
  readonly now: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly accepted: boolean;
}

interface Position {
  readonly epoch?: string;
  readonly sequence: number;
}

interface OrderVector {
  readonly name: string;
  readonly event: Position;
  readonly known: Position | null;
  readonly newer: boolean;
}

const { requests, order } = JSON.parse(readFileSync('examples/webhook-vectors.json', 'utf8')) as {
  readonly requests: readonly RequestVector[];
  readonly order: readonly OrderVector[];
};

it.each(requests)('verifyWebhook takes or refuses $name', ({ headers, body, secrets, now, accepted }) => {
  const request: WebhookRequest = { headers, body: Buffer.from(body) };
  expect(verifyWebhook(request, secrets, { now: now * 1_000 }).outcome !== 'refused').toBe(accepted);
});

it.each(order)('$name: the kit orders it alike', ({ event, known, newer }) => {
  expect(known === null || comparePositions(event, known) > 0).toBe(newer);
});

it('has requests and orders of both kinds', () => {
  expect(requests.filter(({ accepted }) => accepted).length).toBeGreaterThan(8);
  expect(requests.filter(({ accepted }) => !accepted).length).toBeGreaterThan(12);
  expect(order.filter(({ newer }) => !newer).length).toBeGreaterThan(3);
});

it('is spelled out in the guide as it is computed', () => {
  const guide = readFileSync('docs/webhooks.md', 'utf8');
  const { signedText, secret, signature } =
    /The signed text:\n\n {4}(?<signedText>.+)\n[\s\S]*with the secret `(?<secret>\S+)`[\s\S]*is\n\n {4}webhook-signature: (?<signature>\S+)\n/.exec(
      guide,
    )?.groups ?? {};
  const [{ headers, body, secrets } = requests[0] as RequestVector] = requests;
  expect(signedText).toBe(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  expect(secret).toBe(secrets[0]);
  const key = Buffer.from(secret?.replace('whsec_', '') ?? '', 'base64');
  const digest = createHmac('sha256', key).update(signedText ?? '');
  expect(signature).toBe(`v1,${digest.digest('base64')}`);
  expect(signature).toBe(headers['webhook-signature']);
});
