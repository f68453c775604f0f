import { conform } from '#cli/conform/conform.ts';
import { createEventMaker } from '#cli/conform/event-maker.ts';
import type { CheckVerdict } from '#cli/conform/judge.ts';
import { createProbe } from '#cli/conform/probe.ts';
import { createSender } from '#cli/conform/sender.ts';
import { parseSigningKey } from '#cli/conform/signing.ts';
import { buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';

const TIMEOUT_MS = 10_000;

export interface ReceiverUnderTest {
  /** Where it listens; its states are beside it, at `/states`. */
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string;
}

/** The verdict of every check of the conformance kit, state checks included. */
export async function collectVerdicts({ url, secret, previousSecret }: ReceiverUnderTest) {
  const verdicts: CheckVerdict[] = [];
  const checks = conform({
    url,
    kit: {
      types: SHORT_EVENT_TYPES,
      events: createEventMaker(buildSampleEvents(), '1700000000000'),
      key: parseSigningKey(secret, 'secret'),
      previousKey: parseSigningKey(previousSecret, 'previous'),
      foreignKey: Buffer.from('0123456789abcdef01234567'),
    },
    send: createSender({ url, timeoutMs: TIMEOUT_MS, now: () => performance.now() }),
    probe: createProbe({
      url: url.replace('/hook', '/states'),
      timeoutMs: TIMEOUT_MS,
      sleep: async () => {},
    }),
    now: Date.now,
  });
  for await (const verdict of checks) verdicts.push(verdict);
  return verdicts;
}
