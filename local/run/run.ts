import { setTimeout as delay } from 'node:timers/promises';
import { NotifierError } from '#shared/core/errors.ts';
import { isReaderGone } from '#shared/terminal/output.ts';
import { TOKEN_VARIABLE } from '#shared/terminal/read-secret.ts';
import { openDataFolder } from '../aws/engines/data-folder.ts';
import type { QueueReader } from '../aws/functions/queue-messages.ts';
import { type Repetition, repeat } from '../aws/functions/repeat.ts';
import type { QueueBacklog } from '../aws/functions/running-functions.ts';
import type { RunOptions } from './options.ts';
import type { Notes } from './output/notes.ts';
import { type OutputStreams, openRunOutput, type RunOutput } from './output/run-output.ts';
import { createRunStats } from './output/stats.ts';
import { startDelivery } from './session/delivery.ts';
import { greet, listAddresses, type OpenConsole, serveConsole } from './session/greeting.ts';
import { type BackgroundJobs, createBackgroundJobs } from './session/jobs.ts';
import { type Machine, startMachine } from './session/machine.ts';
import { openRecipients, type Recipients } from './session/recipients.ts';
import { createSession, type PollVerdict, type Session } from './session/session.ts';

/** Exit codes. 1 also for a wrong configuration or credential. */
const EXIT_CODES = { complete: 0, wrong: 1, incomplete: 3 } as const;

/** Real time: more often than this, polls of a fast company would keep the machine busy. */
const MIN_POLL_INTERVAL_MS = 1_000;
/** Grace periods when the run is interrupted: for the current poll, then for deliveries. */
const LAST_POLL_MS = 700;
const LAST_DELIVERY_MS = 500;

export interface RunRequest {
  readonly options: RunOptions;
  readonly environment: NodeJS.ProcessEnv;
  /** Returns the folder of the cloud assembly. Calls `note` when it has to synthesize. */
  readonly synthesize: (note: (text: string) => void) => Promise<string>;
  readonly openConsole: OpenConsole;
  /** Default: those of this process. */
  readonly streams?: OutputStreams;
  /** Default: the signals of this process. */
  readonly listen?: typeof listenForStop;
}

/**
 * Runs until the work is done or a signal arrives. Returns the exit code. Throws a `NotifierError` for a wrong
 * configuration, and for a refused credential after all committed events are delivered.
 */
export async function run(request: RunRequest): Promise<number> {
  const { options, environment, synthesize, openConsole, streams, listen = listenForStop } = request;
  const interrupted = EXIT_CODES[whenInterrupted(options)];
  const stop = listen(interrupted);
  const output = openRunOutput(options, environment, streams);
  const folder = await openDataFolder(options.dataFolder);
  try {
    const assembly = () => synthesize(output.notes.progress);
    const { show } = output;
    const machine = await startMachine({ run: options, folder, assembly, environment, show });
    try {
      return await runMachine(machine, { options, stop, output, openConsole });
    } finally {
      await machine.stop();
    }
  } catch (error) {
    if (stop.signal.aborted) return interrupted;
    throw error;
  } finally {
    output.close();
    folder.release();
  }
}

/** What is left of a whole poll is missing; one that is repeated has no end. */
function whenInterrupted({ mode }: RunOptions): 'complete' | 'incomplete' {
  return mode.kind === 'once' ? 'incomplete' : 'complete';
}

interface RunContext {
  readonly options: RunOptions;
  readonly stop: StopRequest;
  readonly output: RunOutput;
  readonly openConsole: OpenConsole;
}

async function runMachine(machine: Machine, context: RunContext): Promise<number> {
  const { options, stop, output } = context;
  const { notes } = output;
  const stats = createRunStats();
  const delivery = startDelivery(machine, async (text) => {
    await output.print(text);
    stats.countEvent(text);
  });
  const ending = new AbortController();
  const stopping = AbortSignal.any([stop.signal, ending.signal]);
  const session = createSession({ machine, notes, stats, stopping });
  const jobs = createBackgroundJobs({ machine, notes, stopping });
  const recipients = openRecipients({ machine, jobs, show: output.show });
  greet(machine, { options, notes });
  const served = await serveConsole(options, notes, context.openConsole);
  output.follow({
    clock: machine.source.clock,
    names: machine.names,
    addresses: () => listAddresses(machine, served?.renewAddress() ?? null),
  });
  const run: ActiveRun = { options, machine, session, delivery, recipients, jobs, notes, stop, ending };
  const verdict = await pollAndDeliver(run).finally(() => served?.stop());
  if (verdict === 'refused') throw createRefusedError(machine, session);
  output.close();
  notes.say(stats.describe());
  return EXIT_CODES[verdict];
}

interface ActiveRun {
  readonly options: RunOptions;
  readonly machine: Machine;
  readonly session: Session;
  readonly delivery: QueueReader;
  readonly recipients: Recipients;
  readonly jobs: BackgroundJobs;
  readonly notes: Notes;
  readonly stop: StopRequest;
  /** Aborted when polling ends; failures after that do not matter. */
  readonly ending: AbortController;
}

/** Polls by the options and delivers. Ends early, without an error, on a stop request or when the reader is gone. */
async function pollAndDeliver(run: ActiveRun): Promise<PollVerdict> {
  const { options, ending, stop, delivery, recipients } = run;
  const { verdict, rest } = options.mode.kind === 'once' ? await pollOnce(run) : await pollRepeatedly(run);
  ending.abort();
  const isInterrupted = verdict === 'interrupted';
  if (isInterrupted) await Promise.race([rest, delay(LAST_POLL_MS, undefined, { ref: false })]);
  const limit = stop.signal.aborted ? AbortSignal.timeout(LAST_DELIVERY_MS) : stop.signal;
  const deliverMessages = async () => {
    if (!isInterrupted) await recipients.drain(stop.signal);
    await recipients.finish(limit);
  };
  await Promise.all([delivery.finish(limit), deliverMessages()]).catch(ignoreReaderGone);
  if (isInterrupted || stop.signal.aborted) return whenInterrupted(options);
  const left = recipients.undelivered();
  if (left.length > 0) run.notes.say(describeUndelivered(left, options.dataFolder));
  return verdict === 'complete' && left.length > 0 ? 'incomplete' : verdict;
}

interface PollingOutcome {
  readonly verdict: PollVerdict | 'interrupted';
  /** Settles when the current poll has ended. */
  readonly rest: Promise<unknown>;
}

async function pollOnce(run: ActiveRun): Promise<PollingOutcome> {
  const rest = run.session.pollAll();
  return { verdict: await Promise.race([rest, waitForInterruption(run)]), rest };
}

/** Polls repeatedly until interrupted or refused. */
async function pollRepeatedly(run: ActiveRun): Promise<PollingOutcome> {
  const refused = Promise.withResolvers<'refused'>();
  const repetitions = begin(run, (verdict) => {
    if (verdict === 'refused') refused.resolve(verdict);
  });
  const rest = Promise.all(repetitions.map(({ ended }) => ended));
  const failed = rest.then(() => 'interrupted' as const);
  const verdict = await Promise.race([waitForInterruption(run), refused.promise, failed]);
  for (const repetition of repetitions) repetition.stop();
  return { verdict, rest };
}

/** Starts what is repeated: polls of the whole window, or one of them and then what is due. */
function begin(
  { options, machine, session, jobs }: ActiveRun,
  note: (verdict: PollVerdict) => void,
): Repetition[] {
  if (options.mode.kind === 'every') {
    const poll = async () => note(await session.pollAll());
    return [repeat(options.mode.intervalMs, poll), ...jobs.begin(Promise.resolve())];
  }
  const { source, polling } = machine;
  const opening = session.pollAll().then(note);
  let isOpened = false;
  const intervalMs = Math.max(MIN_POLL_INTERVAL_MS, polling.intervalMs / (source.clock?.speed ?? 1));
  const poll = repeat(intervalMs, async () => {
    if (isOpened) note(await session.poll());
    else await opening;
    isOpened = true;
  });
  return [poll, ...jobs.begin(opening)];
}

/** Settles on a stop request, or when the reader of the output is gone. */
async function waitForInterruption({ stop, delivery, recipients }: ActiveRun): Promise<'interrupted'> {
  const readerGone = Promise.race([delivery.failed, recipients.failed]).catch(ignoreReaderGone);
  await Promise.race([stop.requested, readerGone]);
  return 'interrupted';
}

/** Unread events stay in the queue for the next run. */
function ignoreReaderGone(error: unknown): void {
  if (!isReaderGone(error)) throw error;
}

/** Such as `1690 messages were not delivered (1690 in webhook-payroll); they are kept in .data and sent by the next run`. */
function describeUndelivered(queues: readonly QueueBacklog[], dataFolder: string): string {
  const total = queues.reduce((sum, { messages }) => sum + messages, 0);
  const places = queues.map(({ queueName, messages }) => `${messages} in ${queueName}`).join(', ');
  return `${total} messages were not delivered (${places}); they are kept in ${dataFolder} and sent by the next run`;
}

function createRefusedError({ source }: Machine, { refusals }: Session): NotifierError {
  const [reason = ''] = refusals;
  const shown = reason.replaceAll(source.token, '***').replaceAll(/\s+/g, ' ');
  return new NotifierError(
    'source_refused',
    `the source at ${source.baseUrl} refused the credential (${shown}); set ${TOKEN_VARIABLE} to a token that may read pay periods and timesheets`,
  );
}

/** Ctrl-C, a supervisor, a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** The process must end within two seconds. */
const LIMIT_MS = 1_800;

/** A request from outside to end the run. */
export interface StopRequest {
  readonly signal: AbortSignal;
  /** Settles at the first signal. */
  readonly requested: Promise<void>;
}

/**
 * Listens for a stop request. After the first signal the process exits with `code` within two seconds in any case.
 * Further signals are ignored: npm forwards a signal that the terminal already sent to every process.
 */
export function listenForStop(code: number): StopRequest {
  const aborter = new AbortController();
  const requested = new Promise<void>((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (aborter.signal.aborted) return;
        aborter.abort();
        setTimeout(() => process.exit(code), LIMIT_MS).unref();
        resolve();
      });
    }
  });
  return { signal: aborter.signal, requested };
}
