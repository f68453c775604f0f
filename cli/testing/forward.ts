import { isPlainHttp } from '#shared/config/schema/plain-http.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { computeBackoff } from '#shared/core/waits.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import type { Target } from '#shared/operator/target.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { print } from '#shared/terminal/output.ts';
import { type LoggedEvent, openLogReader } from '../log-reader.ts';
import { type ReceiverAnswer, sendRequest } from './receiver/check-receiver.ts';
import { signWebhook } from './sign-webhook.ts';

/** Pause between two reads of the log. */
const PAUSE_MS = 1_000;
/** A receiver that is being restarted should not be waited for long. */
const RETRY = { firstMs: 1_000, maxMs: 30_000 };
const GONE = 410;

export interface ForwardFlags {
  readonly type?: string;
  readonly since?: string;
}

interface Forwarding {
  readonly url: string;
  readonly secret: string;
}

/**
 * Hands the events of the log to a receiver, signed and in order, until interrupted; of a data folder that nothing runs on,
 * those that it has. Throws a `NotifierError`.
 */
export async function forwardEvents(to: Forwarding, flags: ForwardFlags, target: Target): Promise<void> {
  const read = openLogReader(buildQueries({ ...flags, since: flags.since ?? '0s' }, target), target);
  console.error(`forwarding the events of ${target.title} to ${to.url}`);
  for (;;) {
    for (const event of await read()) await forward(event, to, target);
    if (target.isStopped === true) {
      console.error(`npm start is not running on ${target.title}: start it, and run this again to follow it`);
      return;
    }
    await target.system.sleep(PAUSE_MS);
  }
}

/** Sends an event until it is accepted. */
async function forward(
  { text, timeZone }: LoggedEvent,
  { url, secret }: Forwarding,
  target: Target,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendRequest(url, signWebhook(text, secret, Date.now()));
    const isAccepted = answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300;
    const isGone = answer.outcome === 'answered' && answer.status === GONE;
    const retryMs = isAccepted || isGone ? null : computeBackoff(attempt, RETRY);
    const again = retryMs === null ? '' : `  (again in ${retryMs / 1_000} s)`;
    print(`${describe(answer)}  ${formatEventLine(text, { timeZone, names: NO_NAMES })}${again}`);
    if (isGone) {
      throw new NotifierError(
        'forward_refused',
        `${url} answered 410, which means that it wants no more events; run the command again to go on`,
      );
    }
    if (retryMs === null) return;
    await target.system.sleep(retryMs);
  }
}

/** `204`, or why there is no status. */
function describe(answer: ReceiverAnswer): string {
  return answer.outcome === 'answered' ? String(answer.status) : answer.reason;
}

/** The address of a receiver. Throws a `NotifierError` (`url_invalid`) unless it is https or on this machine. */
export function parseForwardAddress(text: string): string {
  const url = URL.parse(text);
  const advice = 'use an https address, or one of this machine such as http://localhost:3000/hook';
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new NotifierError('url_invalid', `--forward is ${JSON.stringify(text)}; ${advice}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new NotifierError(
      'url_invalid',
      '--forward contains a password; leave it out: requests are authenticated by their signature',
    );
  }
  if (!isPlainHttp(url.href)) return url.href;
  throw new NotifierError(
    'url_invalid',
    `--forward is ${JSON.stringify(text)}, and http to another machine would send events in clear; ${advice}`,
  );
}
