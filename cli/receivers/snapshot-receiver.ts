import type { SnapshotRequestInput } from '#shared/config/requests/snapshot-request.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import type { Target } from '#shared/operator/target.ts';
import type { SendingFlags } from './count-and-send.ts';
import { findReceiver } from './receiver.ts';

const RECEIVERS = {
  headings: ['subscriptions', 'webhooks'],
  advice: 'use subscriptions/<name> or webhooks/<name>',
} as const;

/** Where snapshots go, and which of them. Throws a `NotifierError` for an unknown receiver or a disabled webhook. */
export async function resolveSnapshotReceiver(
  { to, dryRun }: Pick<SendingFlags, 'dryRun'> & { readonly to: string },
  target: Target,
): Promise<Pick<SnapshotRequestInput, 'queueUrl' | 'interest'>> {
  const { kind, name, queueUrl, interest } = findReceiver(to, RECEIVERS, target);
  if (kind === 'webhook' && dryRun !== true) await checkEnabled(name, target);
  if (interest === null) return { queueUrl };
  const { topics, filter } = interest;
  return { queueUrl, interest: { topics, filter } };
}
