import type { Target } from '#shared/operator/target.ts';
import { print, table } from '#shared/terminal/output.ts';
import { confirm } from '../confirm.ts';
import { type Steps, sendInSteps } from './send-in-steps.ts';

export interface SendingFlags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

export interface Sending extends Pick<Steps, 'requests' | 'report'> {
  /** Where to, in words. */
  readonly to: string;
  readonly words: {
    readonly one: string;
    readonly many: string;
    readonly question: string;
    /** What was done with them. */
    readonly done: string;
  };
}

/** Counts what the requests select, asks for confirmation, and sends it. Throws a `NotifierError`. */
export async function countAndSend(sending: Sending, flags: SendingFlags, target: Target): Promise<void> {
  const { requests, report, to, words } = sending;
  const counting = requests.map((request) => ({ ...request, dryRun: true }));
  const { matched } = await sendInSteps({ requests: counting, report }, target);
  const events = Object.values(matched).reduce((sum, count) => sum + count, 0);
  if (flags.json !== true) {
    print(...table(Object.entries(matched).map(([type, count]) => [String(count).padStart(8), type])));
    print(`${events} ${events === 1 ? words.one : words.many} to ${to}`);
  }
  if (flags.dryRun === true || events === 0) {
    if (flags.json === true) print(JSON.stringify({ to, matched, published: 0 }));
    return;
  }
  if (flags.yes !== true && !(await confirm(words.question, 'nothing was published'))) return;
  const onProgress = (published: number) => printProgress(published, events);
  const done = await sendInSteps({ requests, report, onProgress }, target);
  if (flags.json === true) print(JSON.stringify({ to, ...done }));
  else print(`${done.published} ${words.done}`);
}

function printProgress(published: number, events: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r${published} of ${events}${published === events ? '\n' : ''}`);
}
