import { setTimeout as delay } from 'node:timers/promises';
import { NotifierError } from '#shared/core/errors.ts';
import { isReaderGone, wantsColour } from '#shared/terminal/output.ts';
import { TOKEN_VARIABLE } from '#shared/terminal/read-secret.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import { type DataFolder, openDataFolder } from '../aws/engines/data-folder.ts';
import type { QueueReader } from '../aws/functions/queue-messages.ts';
import { type Repetition, repeat } from '../aws/functions/repeat.ts';
import type { QueueBacklog } from '../aws/functions/running-functions.ts';
import type { RunOptions } from './options.ts';
import { createNotes, type Notes } from './output/notes.ts';
import { createJsonPrinter, createTextPrinter } from './output/printer.ts';
import type { OutputStreams, RunOutput } from './output/run-output.ts';
import { createSeenEvents } from './output/seen-events.ts';
import { createRunStats, formatTotals, type RunStats } from './output/stats.ts';
import { listAddresses } from './session/addresses.ts';
import { startDelivery } from './session/delivery.ts';
import { type BackgroundJobs, createBackgroundJobs } from './session/jobs.ts';
import { type Machine, startMachine } from './session/machine.ts';
import { openRecipients, type Recipients } from './session/recipients.ts';
import type { RedirectedWebhook } from './session/redirect.ts';
import { createSession, type PollVerdict, type Session } from './session/session.ts';
import { LEGEND } from './terminal/lay-out.ts';
import { openLiveTerminal } from './terminal/live-terminal.ts';

/** Exit codes. 1 also for a wrong configuration or credential. */
const EXIT_CODES = { complete: 0, wrong: 1, incomplete: 3 } as const;

/** Real time: more often than this, polls of a fast company would keep the machine busy. */
const MIN_POLL_INTERVAL_MS = 1_000;
/** Grace periods when the run is interrupted: for the current poll, then for deliveries. */
const LAST_POLL_MS = 700;
const LAST_DELIVERY_MS = 500;

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
  const interrupted = EXIT_CODES[options.mode.kind === 'once' ? 'incomplete' : 'complete'];
  const stop = listen(interrupted);
  const output = openRunOutput(options, environment, streams);
  const stats = createRunStats();
  const tell = async (received: Receipt) => {
    await output.show(received);
    stats.countReceived(received);
  };
  const folder = await openDataFolder(options.dataFolder);
  try {
    const assembly = () => synthesize(output.notes.progress);
    // With ndjson, standard output holds events only.
    const show = options.output === 'text' ? tell : null;
    const machine = await startMachine({ run: options, folder, assembly, environment, show });
    try {
      return await runMachine(machine, { options, folder, stop, output, stats, tell, openConsole });
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

interface RunContext {
  readonly options: RunOptions;
  readonly folder: DataFolder;
  readonly stop: StopRequest;
  readonly output: RunOutput;
  readonly stats: RunStats;
  /** Shows what somebody got, and counts it. */
  readonly tell: (received: Receipt) => Promise<void>;
  readonly openConsole: OpenConsole;
}

async function runMachine(machine: Machine, context: RunContext): Promise<number> {
  const { options, stop, output, stats, tell } = context;
  const { notes } = output;
  let served: ServedConsole | null = null;
  const { names, source } = machine;
  const addresses = () => listAddresses(machine, served?.renewAddress() ?? null);
  output.follow({ stats, clock: source.clock, names, addresses });
  stats.begin();
  const events = createSeenEvents();
  const delivery = startDelivery(machine, async (text) => {
    events.add(text);
    await output.print(text);
    stats.countEvent(text);
  });
  const ending = new AbortController();
  const stopping = AbortSignal.any([stop.signal, ending.signal]);
  const session = createSession({ machine, notes, stats, stopping });
  const jobs = createBackgroundJobs({ machine, notes, stopping });
  const recipients = openRecipients({ machine, jobs, show: tell, events });
  greet(machine, { options, folder: context.folder, notes });
  const run: ActiveRun = { options, machine, session, delivery, recipients, jobs, notes, stop, ending };
  served = await serveConsole(options, notes, context.openConsole);
  const verdict = await pollAndDeliver(run).finally(() => served?.stop());
  if (verdict === 'refused') throw createRefusedError(machine, session);
  output.conclude(stats);
  return EXIT_CODES[verdict];
}

/** Polls by the options and delivers. Ends early, without an error, on a stop request or when the reader is gone. */
async function pollAndDeliver(run: ActiveRun): Promise<PollVerdict> {
  const { verdict, rest } =
    run.options.mode.kind === 'once' ? await pollOnce(run) : await pollRepeatedly(run);
  run.ending.abort();
  if (verdict === 'interrupted') await Promise.race([rest, delay(LAST_POLL_MS, undefined, { ref: false })]);
  const delivered = await finishDelivery(run, verdict);
  if (verdict === 'complete' && !delivered) return 'incomplete';
  if (verdict !== 'interrupted') return verdict;
  return run.options.mode.kind === 'once' ? 'incomplete' : 'complete';
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

/** Settles on a stop request, or when the reader of the output is gone. */
async function waitForInterruption({ stop, delivery, recipients }: ActiveRun): Promise<'interrupted'> {
  const readerGone = Promise.race([delivery.failed, recipients.failed]).catch(ignoreReaderGone);
  await Promise.race([stop.requested, readerGone]);
  return 'interrupted';
}

/** Returns whether everything was delivered. */
async function finishDelivery(run: ActiveRun, verdict: PollingOutcome['verdict']): Promise<boolean> {
  const { stop, delivery, recipients } = run;
  const limit = stop.signal.aborted ? AbortSignal.timeout(LAST_DELIVERY_MS) : stop.signal;
  const events = delivery.finish(limit);
  const messages = verdict === 'interrupted' ? Promise.resolve(false) : drainMessages(run);
  const mails = messages.then(() => recipients.finish(limit));
  await Promise.all([events, mails]).catch(ignoreReaderGone);
  return await messages.catch(() => false);
}

/** Delivers pending alerts and webhooks. What cannot be delivered waits in the data folder. */
async function drainMessages({ stop, recipients, notes, options }: ActiveRun): Promise<boolean> {
  if (await recipients.drain(stop.signal)) return true;
  if (!stop.signal.aborted) notes.say(describeUndelivered(recipients.undelivered(), options.dataFolder));
  return false;
}

/** Such as `1690 messages were not delivered (1690 in webhook-payroll); they are kept in .data and sent by the next run`. */
export function describeUndelivered(queues: readonly QueueBacklog[], dataFolder: string): string {
  const total = queues.reduce((sum, { messages }) => sum + messages, 0);
  const places = queues.map(({ queueName, messages }) => `${messages} in ${queueName}`).join(', ');
  const where = places === '' ? '' : ` (${places})`;
  return `${total} messages were not delivered${where}; they are kept in ${dataFolder} and sent by the next run`;
}

/** Unread events stay in the queue for the next run. */
function ignoreReaderGone(error: unknown): void {
  if (!isReaderGone(error)) throw error;
}

function begin(
  { options, machine, session, jobs }: ActiveRun,
  note: (verdict: PollVerdict) => void,
): Repetition[] {
  if (options.mode.kind === 'every') {
    const poll = async () => note(await session.pollAll());
    return [repeat(options.mode.intervalMs, poll), ...jobs.begin(Promise.resolve())];
  }
  const opening = session.pollAll().then(note);
  const { source, polling } = machine;
  let opened = false;
  const intervalMs = Math.max(MIN_POLL_INTERVAL_MS, polling.intervalMs / (source.clock?.speed ?? 1));
  const poll = repeat(intervalMs, async () => {
    if (opened) note(await session.poll());
    else await opening;
    opened = true;
  });
  return [poll, ...jobs.begin(opening)];
}

function createRefusedError({ source }: Machine, { refusals }: Session): NotifierError {
  const [reason = ''] = refusals;
  const shown = reason.replaceAll(source.token, '***').replaceAll(/\s+/g, ' ');
  return new NotifierError(
    'source_refused',
    `the source at ${source.baseUrl} refused the credential (${shown}); set ${TOKEN_VARIABLE} to a token that may read pay periods and timesheets`,
  );
}

/** On a terminal, lines that fit and a status below them; elsewhere plain lines, for programs and files. */
export function openRunOutput(
  options: RunOptions,
  environment: NodeJS.ProcessEnv,
  streams: OutputStreams = process,
): RunOutput {
  const { stdout, stderr } = streams;
  // The write itself rejects when the reader is gone.
  stdout.on('error', () => {});
  const colour = wantsColour(stdout, environment);
  if (options.output === 'text' && canRedraw(stdout, environment))
    return openLiveTerminal({ options, ...streams, colour });
  const notes = createNotes(stderr);
  const printer =
    options.output === 'ndjson'
      ? createJsonPrinter({ stream: stdout })
      : createTextPrinter({ stream: stdout, timeZone: options.timeZone, colour });
  return {
    ...printer,
    notes,
    conclude: (stats) => notes.say(formatTotals(stats.totals())),
    close: () => {},
  };
}

/** Whether lines can be written again: on a terminal that says how wide it is. `CI` is set where logs are kept. */
function canRedraw(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  { TERM, CI = '' }: NodeJS.ProcessEnv,
): boolean {
  return isTTY === true && (columns ?? 0) > 0 && TERM !== 'dumb' && (CI === '' || CI === 'false');
}

interface Greeting {
  readonly options: RunOptions;
  readonly folder: DataFolder;
  readonly notes: Notes;
}

/** Says what a run works with. */
export function greet({ aws, webhooks, polling }: Machine, { options, folder, notes }: Greeting): void {
  if (options.source.kind === 'emulator' && options.mode.kind === 'schedules') {
    const { speed } = options.source;
    notes.say(`a sample company that lives ${speed} times as fast; Ctrl-C to stop`);
  }
  // The sample company has no secrets; and programs that read the output have read the documents.
  if (options.source.kind === 'remote' && hasConsole(options) && aws.exposure !== null)
    notes.say(`open to others: ${aws.exposure}`);
  if (polling.leftOut.length > 0)
    notes.say(`polls ${polling.request.connection.name} alone, not ${polling.leftOut.join(', ')}`);
  for (const webhook of options.webhook === null ? [] : webhooks) {
    const { name, address } = webhook;
    notes.say(`webhook ${name} goes to ${address}, signed with ${describeSecret(webhook)}`);
  }
  if (folder.fresh) notes.progress('the first read is stored without events; then every change is one');
  if (hasConsole(options)) notes.say(LEGEND);
}

/** Shows only a secret that was generated: one given by the user must not appear on a terminal or in a log. */
function describeSecret({ secret, origin }: RedirectedWebhook): string {
  return origin === 'made' ? secret : 'your secret';
}

export interface ServedConsole {
  /** With a one-time token. */
  readonly address: string;
  /** The address with another token, which takes the place of the one before. */
  renewAddress(): string;
  stop(): Promise<void>;
}

/** Opens the console of a data folder, which is opened when the first page asks for it. */
export type OpenConsole = (dataFolder: string) => Promise<ServedConsole>;

/** Whether a run is long and readable enough for somebody to look at its console. */
function hasConsole({ mode, output }: RunOptions): boolean {
  return output === 'text' && (mode.kind === 'schedules' || mode.kind === 'every');
}

/** Serves the console of a run and prints its address. Null when it has none; the run goes on without. */
export async function serveConsole(
  options: RunOptions,
  notes: Notes,
  openConsole: OpenConsole,
): Promise<ServedConsole | null> {
  if (!hasConsole(options)) return null;
  try {
    const served = await openConsole(options.dataFolder);
    notes.say(`console  ${served.address}`);
    return served;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notes.say(`the console cannot be served (${reason}); the run goes on without it`);
    return null;
  }
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
