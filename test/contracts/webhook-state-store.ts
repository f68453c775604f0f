import { beforeAll, describe, expect, test } from 'vitest';
import type { WebhookStateStore } from '#shared/systems/flow/webhook-run.ts';
import { NOON } from './store-samples.ts';

const url = 'https://payroll.acme.example/hook';
const disabled = { url, at: NOON, reason: '410', connection: 'main', told: false };

let samples = 0;

/** The contract of every store of the state of webhooks. */
export function describeWebhookStateStore(name: string, make: () => Promise<WebhookStateStore>): void {
  describe(`${name} as a store of the state of webhooks`, () => {
    let stateStore: WebhookStateStore;
    beforeAll(async () => {
      stateStore = await make();
    });

    test('a webhook is enabled until it is disabled, and again afterwards', async () => {
      const webhook = freshWebhook();

      expect(await stateStore.loadDisabled(webhook)).toBeNull();
      await stateStore.saveDisabled(webhook, disabled);
      expect(await stateStore.loadDisabled(webhook)).toEqual(disabled);
      expect(await stateStore.loadDisabled(freshWebhook())).toBeNull();
      await stateStore.saveDisabled(webhook, null);
      await stateStore.saveDisabled(webhook, null);
      expect(await stateStore.loadDisabled(webhook)).toBeNull();
    });

    test('what is noted of its acceptances is kept', async () => {
      const webhook = freshWebhook();
      const outage = { from: NOON - 20 * 86_400_000, to: NOON };

      expect(await stateStore.loadAcceptance(webhook)).toBeNull();
      for (const acceptance of [{ at: NOON, outage }, { at: NOON + 1 }]) {
        await stateStore.saveAcceptance(webhook, acceptance);
        expect(await stateStore.loadAcceptance(webhook)).toEqual(acceptance);
      }
      expect(await stateStore.loadAcceptance(freshWebhook())).toBeNull();
    });

    test('the first of several runs that disable a webhook decides why, and when it is enabled', async () => {
      const webhook = freshWebhook();
      const later = { ...disabled, at: NOON + 1_000, connection: 'other' };
      const first = { ...disabled, told: true, enabledAt: NOON + 1 };
      const second = { ...first, enabledAt: NOON + 2 };
      expect(await stateStore.replaceDisabled(webhook, disabled, first)).toBeNull();
      expect(await stateStore.saveDisabledIfAbsent(webhook, disabled)).toEqual(disabled);
      expect(await stateStore.saveDisabledIfAbsent(webhook, later)).toEqual(disabled);
      expect(await stateStore.replaceDisabled(webhook, disabled, first)).toEqual(first);
      expect(await stateStore.replaceDisabled(webhook, disabled, second)).toEqual(first);
      expect(await stateStore.saveDisabledIfAbsent(webhook, later)).toEqual(first);
      expect(await stateStore.loadDisabled(webhook)).toEqual(first);
      await stateStore.saveDisabled(webhook, null);
      expect(await stateStore.saveDisabledIfAbsent(webhook, later)).toEqual(later);
    });
  });
}

function freshWebhook(): string {
  samples += 1;
  return `webhook-${process.pid}-${samples}`;
}
