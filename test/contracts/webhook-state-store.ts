import { beforeAll, describe, expect, test } from 'vitest';
import type { WebhookStateStore } from '#shared/ports/webhooks.ts';
import { NOON } from './snapshot-samples.ts';

const RECORD = '/connections/main/timesheets#910001_4711';
const expiresAt = NOON + 86_400_000;
const disabled = {
  url: 'https://payroll.acme.example/hook',
  at: NOON,
  reason: '410',
  connection: 'main',
  told: false,
};

let samples = 0;

/** What every book of webhooks promises, whatever it is made of. */
export function describeWebhookStateStore(name: string, make: () => Promise<WebhookStateStore>): void {
  describe(`${name} as a book of webhooks`, () => {
    let book: WebhookStateStore;
    beforeAll(async () => {
      book = await make();
    });

    test('a webhook is enabled until it is disabled, and again when that is taken back', async () => {
      const webhook = freshWebhook();

      expect(await book.loadDisabled(webhook)).toBeNull();
      await book.saveDisabled(webhook, disabled);
      expect(await book.loadDisabled(webhook)).toEqual(disabled);
      expect(await book.loadDisabled(freshWebhook())).toBeNull();
      await book.saveDisabled(webhook, null);
      await book.saveDisabled(webhook, null);
      expect(await book.loadDisabled(webhook)).toBeNull();
    });

    test('whoever notes first that a webhook is disabled is the one who is believed', async () => {
      const webhook = freshWebhook();
      const later = { ...disabled, at: NOON + 1_000, connection: 'other' };

      expect(await book.saveDisabledIfAbsent(webhook, disabled)).toEqual(disabled);
      expect(await book.saveDisabledIfAbsent(webhook, later)).toEqual(disabled);
      await book.saveDisabled(webhook, { ...disabled, told: true });
      expect(await book.saveDisabledIfAbsent(webhook, later)).toEqual({ ...disabled, told: true });
      await book.saveDisabled(webhook, null);
      expect(await book.saveDisabledIfAbsent(webhook, later)).toEqual(later);
    });

    test('a cursor moves forward and never back', async () => {
      const webhook = freshWebhook();

      expect(await book.loadCursor(webhook, RECORD)).toBeNull();
      for (const [sequence, expected] of [
        [2, 2],
        [1, 2],
        [2, 2],
        [10, 10],
        [9, 10],
      ] as const) {
        await book.advanceCursor(webhook, RECORD, { sequence, expiresAt });
        expect(await book.loadCursor(webhook, RECORD)).toBe(expected);
      }
    });

    test('each webhook and record has a cursor of its own', async () => {
      const webhook = freshWebhook();
      await book.advanceCursor(webhook, RECORD, { sequence: 3, expiresAt });

      expect(await book.loadCursor(freshWebhook(), RECORD)).toBeNull();
      expect(await book.loadCursor(webhook, `${RECORD}1`)).toBeNull();
      expect(await book.loadDisabled(webhook)).toBeNull();
    });
  });
}

function freshWebhook(): string {
  samples += 1;
  return `webhook-${process.pid}-${samples}`;
}
