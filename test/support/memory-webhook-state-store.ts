import type { Acceptance } from '#shared/systems/acceptance.ts';
import type { DisabledWebhook } from '#shared/systems/disabled-webhook.ts';
import type { WebhookStateStore } from '#shared/systems/flow/webhook-run.ts';

/** A store of the state of webhooks, without a database. */
export function createMemoryWebhookStateStore(): WebhookStateStore {
  const disabled = new Map<string, DisabledWebhook>();
  const acceptances = new Map<string, Acceptance>();
  return {
    loadDisabled: async (webhook) => disabled.get(webhook) ?? null,
    saveDisabled: async (webhook, value) => {
      if (value === null) disabled.delete(webhook);
      else disabled.set(webhook, { ...value });
    },
    saveDisabledIfAbsent: async (webhook, value) => {
      const saved = disabled.get(webhook) ?? { ...value };
      disabled.set(webhook, saved);
      return saved;
    },
    replaceDisabled: async (webhook, from, to) => {
      const saved = disabled.get(webhook);
      if (saved?.url === from.url && saved.at === from.at && saved.enabledAt === from.enabledAt)
        disabled.set(webhook, { ...to });
      return disabled.get(webhook) ?? null;
    },
    loadAcceptance: async (webhook) => acceptances.get(webhook) ?? null,
    saveAcceptance: async (webhook, acceptance) => void acceptances.set(webhook, { ...acceptance }),
  };
}
