import { createSecretReader, type SecretClients } from '#shared/adapters/secrets/secret-reader.ts';
import type { System } from '#shared/adapters/system/system.ts';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { Telemetry } from '#shared/flow/system.ts';
import { type HeartbeatPorts, sendHeartbeat } from '#shared/systems/flow/send-heartbeat.ts';

/** Whoever listens answers at once, and the function is paid for while it waits. */
const TIMEOUT_MS = 5_000;

interface HeartbeatOptions {
  readonly secrets: SecretClients;
  readonly system: Pick<System, 'now'>;
  readonly store: HeartbeatPorts['store'];
  readonly telemetry: Telemetry;
}

/** Kept between invocations. */
interface Address {
  readonly read: HeartbeatPorts['readAddress'];
  isFailing: boolean;
}

/**
 * Sends the heartbeat of a connection that has one, before the deadline (ms since 1970). A failure is logged when it
 * begins and when it is over, by each process: the address itself tells that nothing arrives.
 */
export function createHeartbeats({
  secrets,
  system: { now },
  store,
  telemetry,
}: HeartbeatOptions): (connection: Connection, deadline: number) => Promise<void> {
  const addresses = new Map<string, Address>();
  const open = (secretName: string): Address => {
    const read = createSecretReader({ clients: secrets, secretName, now });
    return { read: async () => (await read({ fresh: false })).trim(), isFailing: false };
  };
  return async ({ name: connection, heartbeat }, deadline) => {
    const timeoutMs = Math.min(TIMEOUT_MS, deadline - now());
    if (heartbeat === undefined || timeoutMs <= 0) return;
    const { secretName, allow } = heartbeat;
    const address = addresses.get(secretName) ?? open(secretName);
    addresses.set(secretName, address);
    const client = createWebhookClient({ allow, now, timeoutMs });
    const ports = { store, readAddress: address.read, client, clock: { now } };
    const sent = await sendHeartbeat(connection, ports);
    if (sent.outcome === 'failed' && !address.isFailing)
      telemetry.report({ outcome: 'heartbeat.failed', connection, reason: sent.reason });
    if (sent.outcome === 'sent' && address.isFailing)
      telemetry.report({ outcome: 'heartbeat.resumed', connection });
    if (sent.outcome !== 'held') address.isFailing = sent.outcome === 'failed';
  };
}
