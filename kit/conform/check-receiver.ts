import { randomBytes } from 'node:crypto';
import { NotifierError } from '../../shared/core/errors.ts';
import { SHORT_EVENT_TYPES, type ShortEventType } from '../../shared/core/event-types.ts';
import type { CheckKit } from './checks/check-kit.ts';
import { createEventMaker } from './event-maker.ts';
import type { CheckVerdict } from './judge.ts';
import { createProbe } from './probe.ts';
import { runChecks } from './run-checks.ts';
import { createSender } from './sender.ts';

/** How long a real delivery waits for an answer. */
const TIMEOUT_MS = 15_000;
const KEY_BYTES = 32;

/** A receiver and what it knows. */
export interface ReceiverUnderTest extends Pick<CheckKit, 'key' | 'previousKey'> {
  readonly url: string;
  /** Where it reports its state; null when it does not. */
  readonly probe: string | null;
}

/** Runs all checks over HTTP, with events that no earlier run sent. `examples`: one event of each type, as JSON. */
export function checkReceiver(
  { url, probe, key, previousKey }: ReceiverUnderTest,
  examples: ReadonlyMap<ShortEventType, string>,
): AsyncGenerator<CheckVerdict, void> {
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, milliseconds);
    });
  return runChecks({
    url,
    kit: {
      types: SHORT_EVENT_TYPES,
      events: createEventMaker(examples, String(Date.now())),
      ...{ key, previousKey, foreignKey: randomBytes(KEY_BYTES) },
    },
    send: createSender({ url, timeoutMs: TIMEOUT_MS, now: () => performance.now() }),
    probe: probe === null ? null : createProbe({ url: probe, timeoutMs: TIMEOUT_MS, sleep }),
    now: () => Date.now(),
  });
}

/** `what` names the address in the error. Throws `NotifierError` `address_invalid`. */
export function parseAddress(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new NotifierError(
    'address_invalid',
    `${what} is ${JSON.stringify(text)}; use an http or https address, such as http://localhost:3000/hook`,
  );
}
