import { openSecret } from '#kit/signing-secret.ts';
import { findErrorCode, NotifierError } from '#shared/core/errors.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { type ReceiverRequest, Sender } from './vector-sender.ts';
import { type Expectation, VECTORS, type Vector } from './vectors.ts';

export interface ReceiverUnderTest {
  /** Where your receiver listens, such as `http://localhost:3000/hook`. */
  readonly url: string;
  /** The signing secret of your receiver, `whsec_...`. */
  readonly secret: string;
  /**
   * Where your receiver reports, for this test only, which event it applied last: a JSON object of sequences by `subject`,
   * such as `{"101550_1": 3}`. Without it, nothing checks that repeats are dropped and order is kept.
   */
  readonly probe?: string;
}

/** What came of one check. */
export interface ReceiverCheck {
  /** What was sent, in words. */
  readonly sent: string;
  readonly answered: string;
  readonly expected: string;
  /** How to fix your receiver; null when it does what is expected. */
  readonly mend: string | null;
}

export interface CheckedReceiver {
  readonly checks: readonly ReceiverCheck[];
  /** Those of `checks` that failed. */
  readonly wrong: readonly ReceiverCheck[];
}

/** What came of one request; `reason` is the system's code of a failure, such as `ECONNREFUSED`, or `timeout`. */
export type ReceiverAnswer =
  | { readonly outcome: 'answered'; readonly status: number }
  | { readonly outcome: 'unanswered'; readonly reason: string };

/** As long as a delivery waits for an answer. */
const TIMEOUT_MS = 15_000;
/** A receiver may process events after it answered: its probe is read for so long. */
const PROBE_MS = 2_000;
const PROBE_PAUSE_MS = 200;
const GONE = 410;

/** What each answer must be, in words and as a test of the status. 410 is always wrong: it disables the webhook. */
const EXPECTED: Readonly<Record<Expectation, readonly [string, (status: number) => boolean]>> = {
  accept: ['2xx', (status) => status >= 200 && status < 300],
  refuse: ['4xx, but not 410', (status) => status >= 400 && status < 500],
  survive: ['any status below 500, but not 410', (status) => status < 500],
  hold: ['any status but 410', () => true],
};

/**
 * Sends your own webhook receiver everything that it will meet: every type, repeats, wrong order, unknown members, forged
 * and old messages. As `notifier test --to URL` does, for a test of yours:
 * `expect((await checkReceiver(mine)).wrong).toEqual([])`. It ends where an answer is missing, or the first one is wrong.
 * Throws `NotifierError`: `address_invalid`, `secret_invalid`, `receiver_unreachable`.
 */
export async function checkReceiver({ url, secret, probe }: ReceiverUnderTest): Promise<CheckedReceiver> {
  for (const address of probe === undefined ? [url] : [url, probe]) checkAddress(address);
  openSecret(secret);
  const sender = new Sender(secret);
  const checks: ReceiverCheck[] = [];
  for (const vector of VECTORS.filter(({ holds }) => holds === undefined || probe !== undefined)) {
    const { check, missing } = await play(vector, sender, { url, probe });
    if (checks.length === 0 && missing !== null)
      throw new NotifierError(
        'receiver_unreachable',
        `${url} does not answer (${missing}); start your receiver, or correct the address`,
      );
    checks.push(check);
    if (missing !== null || (checks.length === 1 && check.mend !== null)) break;
  }
  return { checks, wrong: checks.filter(({ mend }) => mend !== null) };
}

/** Sends one request without following redirects. Never throws for a failure of the receiver or the network. */
export async function sendRequest(
  url: string,
  { method, headers, body }: ReceiverRequest,
): Promise<ReceiverAnswer> {
  try {
    const response = await fetch(url, {
      ...{ method, headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) },
      ...(method === 'POST' ? { body } : {}),
    });
    await response.body?.cancel();
    return { outcome: 'answered', status: response.status };
  } catch (error) {
    return { outcome: 'unanswered', reason: findErrorCode(error) };
  }
}

function checkAddress(text: string): void {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return;
  throw new NotifierError(
    'address_invalid',
    `${JSON.stringify(text)} is no address of a receiver; use one such as http://localhost:3000/hook`,
  );
}

/** `missing`: why there is no answer; null when there is one. */
interface Played {
  readonly check: ReceiverCheck;
  readonly missing: string | null;
}

async function play(
  vector: Vector,
  sender: Sender,
  { url, probe }: { readonly url: string; readonly probe: string | undefined },
): Promise<Played> {
  const record = sender.freshRecord();
  const answers = await sendAll(vector, vector.make(sender, record), url);
  const unanswered = answers.find((answer) => answer.outcome === 'unanswered');
  const missing = unanswered?.reason ?? null;
  const check = judge(vector, answers);
  if (vector.holds === undefined || probe === undefined || check.mend !== null) return { check, missing };
  return { check: await judgeState(vector, record, probe), missing };
}

/** Stops at the first unanswered request. */
async function sendAll(
  { atOnce }: Vector,
  requests: readonly ReceiverRequest[],
  url: string,
): Promise<ReceiverAnswer[]> {
  if (atOnce === true) return await Promise.all(requests.map((request) => sendRequest(url, request)));
  const answers: ReceiverAnswer[] = [];
  for (const request of requests) {
    const answer = await sendRequest(url, request);
    answers.push(answer);
    if (answer.outcome === 'unanswered') break;
  }
  return answers;
}

/** By the first wrong answer, or else by the last. */
function judge({ expect, sent, mend }: Vector, answers: readonly ReceiverAnswer[]): ReceiverCheck {
  const [expected, suits] = EXPECTED[expect];
  const wrong = answers.find(
    (each) => each.outcome === 'unanswered' || each.status === GONE || !suits(each.status),
  );
  const shown = wrong ?? answers.at(-1);
  const answered = shown?.outcome === 'answered' ? String(shown.status) : `nothing (${shown?.reason})`;
  return { sent, answered, expected, mend: wrong === undefined ? null : findMend(wrong, mend) };
}

function findMend(answer: ReceiverAnswer, mend: string): string {
  if (answer.outcome === 'unanswered') {
    return answer.reason === 'timeout'
      ? 'answer before processing: store the event, answer 2xx, then process it; what comes after was not sent'
      : 'it ended or broke off: look for an uncaught error in the log of your receiver; what comes after was not sent';
  }
  if (answer.status === GONE)
    return 'do not answer 410 unless you want no more events: it disables the webhook';
  return answer.status >= 300 && answer.status < 400
    ? 'answer at exactly the configured address: redirects are not followed; a proxy or a missing slash may cause them'
    : mend;
}

/** Reads the state of a record at the probe until it is as expected, for some seconds at most. */
async function judgeState(
  { sent, mend, holds }: Vector,
  record: string,
  probe: string,
): Promise<ReceiverCheck> {
  const check = { sent, expected: `sequence ${holds} of record ${record}` };
  for (const until = Date.now() + PROBE_MS; ; await pause()) {
    const states = await readStates(probe);
    if (states === null) {
      const how =
        'your probe must answer with a JSON object: by record id, the sequence of the last applied event';
      return { ...check, answered: `no states at ${probe}`, mend: how };
    }
    const held = states[record];
    const answered = held === undefined ? 'no state of the record' : `sequence ${held}`;
    if (held === holds) return { ...check, answered, mend: null };
    if (Date.now() >= until) return { ...check, answered, mend };
  }
}

/** Null when there is no object. */
async function readStates(probe: string): Promise<Readonly<Record<string, unknown>> | null> {
  const response = await fetch(probe, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
  const states = response?.ok === true ? parseJsonOrNull(await response.text()) : null;
  return typeof states === 'object' ? (states as Readonly<Record<string, unknown>> | null) : null;
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PROBE_PAUSE_MS);
  });
}
