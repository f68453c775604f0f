import type * as z from 'zod';
import type { ReplayReport, SnapshotReport } from '#shared/config/requests/replay-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '#shared/operator/target.ts';
import { print, table } from '#shared/terminal/output.ts';
import { confirm } from '../confirm.ts';

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

/** Invocations in a row that leave events unpublished, after which it gives up. */
const MAX_FAILURES = 3;

/** What an invocation of the function that replays has done. */
type StepReport = ReplayReport | SnapshotReport;

interface Sent {
  /** By type. */
  readonly matched: Readonly<Record<string, number>>;
  readonly published: number;
}

interface Steps {
  readonly requests: readonly object[];
  readonly report: z.ZodType<StepReport>;
  readonly onProgress?: (published: number) => void;
}

/**
 * Invokes the function that replays for each request until all is published, and adds up its reports. Throws a
 * `NotifierError` (`replay_stopped`).
 */
async function sendInSteps({ requests, report, onProgress }: Steps, target: Target): Promise<Sent> {
  const matched: Record<string, number> = {};
  let published = 0;
  for (const request of requests) {
    for await (const step of invokeUntilDone(request, report, target)) {
      for (const [type, count] of Object.entries(step.matched)) matched[type] = (matched[type] ?? 0) + count;
      published += step.published;
      onProgress?.(published);
    }
  }
  return { matched, published };
}

/** Each invocation stops before its timeout. */
async function* invokeUntilDone(
  request: object,
  schema: z.ZodType<StepReport>,
  target: Target,
): AsyncGenerator<StepReport, void> {
  let after: StepReport['next'] = null;
  let failures = 0;
  for (;;) {
    const report = await invokeStep({ ...request, after }, schema, target);
    yield report;
    if (report.done) return;
    failures = report.unpublished > 0 ? failures + 1 : 0;
    if (failures === MAX_FAILURES) {
      throw new NotifierError(
        'replay_stopped',
        `${report.unpublished} events could not be published, ${MAX_FAILURES} times in a row; see the log of the function replay-events, then run the command again: events published twice have the same id`,
      );
    }
    after = report.next;
  }
}

/** Throws a `NotifierError` (`function_answer_invalid`) for an answer that is no JSON, or of another shape. */
async function invokeStep(
  request: object,
  schema: z.ZodType<StepReport>,
  target: Target,
): Promise<StepReport> {
  const answer = schema.safeParse(await target.invoke('replay-events', request));
  if (answer.success) return answer.data;
  throw new NotifierError(
    'function_answer_invalid',
    'the function replay-events answered something else than a report, so what it sent is not known; see its log, deploy this version, then run the command again: events published twice have the same id',
    { cause: answer.error },
  );
}
