import { setTimeout as delay } from 'node:timers/promises';
import { wantsColour } from '#cli/output.ts';
import type { QueueBacklog } from '#local/aws/local-aws.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { type DataFolder, openDataFolder } from '../aws/engines/data-folder.ts';
import type { QueueReader } from '../aws/functions/queue-messages.ts';
import { type Repetition, repeat } from '../aws/functions/repeat.ts';
import { type RunOptions, TOKEN_VARIABLE } from './options.ts';
import { createNotes, type Notes } from './output/notes.ts';
import { createPrinter, isReaderGone, type Printer } from './output/printer.ts';
import { createRunStats } from './output/stats.ts';
import { startDelivery } from './session/delivery.ts';
import { type BackgroundJobs, createBackgroundJobs } from './session/jobs.ts';
import { type Machine, startMachine } from './session/machine.ts';
import { openRecipients, type Recipients } from './session/recipients.ts';
import type { RedirectedWebhook } from './session/redirect.ts';
import { createSession, type PollVerdict, type Session } from './session/session.ts';
import { SIGNING_SECRETS_FILE } from './session/signing-secrets.ts';
import { listenForStop, type StopRequest } from './session/stop-request.ts';

/** Exit codes. A wrong configuration or credential is an error, and 1. */
const EXIT_CODES = { complete: 0, wrong: 1, incomplete: 3 } as const;

/** The sample company lives fast; its template's schedules would hardly be met. */
const EMULATOR_INTERVAL_MS = 2_000;
/** What a poll under way gets to come to its end when the run is to stop, and then the delivery. */
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
  /** Aborted when the polls come to their end; what still fails then is nobody's concern. */
  readonly ending: AbortController;
}

/** What is to be run, and where. */
export interface RunRequest {
  readonly options: RunOptions;
  readonly environment: NodeJS.ProcessEnv;
  /** Answers the folder of the cloud assembly to run. `note` tells people that it takes its time. */
  readonly synthesize: (note: (text: string) => void) => Promise<string>;
}

/**
 * Runs until what was asked for is done, or until a signal. Answers the exit code. Throws a `NotifierError` for a
 * wrong configuration and for a refused credential, the latter after everything complete is delivered.
 */
export async function run({ options, environment, synthesize }: RunRequest): Promise<number> {
  const interrupted = EXIT_CODES[options.mode.kind === 'once' ? 'incomplete' : 'complete'];
  const stop = listenForStop(interrupted);
  const notes = createNotes(process.stderr);
  const printer = openPrinter(options, environment);
  const folder = await openDataFolder(options.dataFolder);
  try {
    const assembly = () => synthesize(notes.progress);
    // On a stream of events there is no room for anything else.
    const show = options.output === 'text' ? printer.show : null;
    const machine = await startMachine({ run: options, folder, assembly, environment, show });
    try {
      return await runMachine(machine, { options, folder, notes, stop, printer });
    } finally {
      await machine.stop();
    }
  } catch (error) {
    if (stop.signal.aborted) return interrupted;
    throw error;
  } finally {
    folder.release();
  }
}

interface RunContext {
  readonly options: RunOptions;
  readonly folder: DataFolder;
  readonly notes: Notes;
  readonly stop: StopRequest;
  readonly printer: Printer;
}

async function runMachine(machine: Machine, context: RunContext): Promise<number> {
  const { options, notes, stop, printer } = context;
  const stats = createRunStats();
  const delivery = startDelivery(machine.aws.sqs, async (delivered) => {
    await printer.print(delivered);
    if (!delivered.replayed) stats.countEvent(delivered.text);
  });
  const ending = new AbortController();
  const stopping = AbortSignal.any([stop.signal, ending.signal]);
  const session = createSession({ machine, notes, stats, stopping });
  const jobs = createBackgroundJobs({ machine, notes, stopping });
  const recipients = openRecipients({ machine, jobs, show: printer.show });
  greet(machine, context);
  const run: ActiveRun = { options, machine, session, delivery, recipients, jobs, notes, stop, ending };
  const verdict = await pollAndDeliver(run);
  if (verdict === 'refused') throw createRefusedError(machine, session);
  notes.say(stats.summary());
  return EXIT_CODES[verdict];
}

function openPrinter({ output, timeZone }: RunOptions, environment: NodeJS.ProcessEnv): Printer {
  const stream = process.stdout;
  // A reader that has gone away is told by the write itself.
  stream.on('error', () => {});
  return createPrinter({ stream, output, timeZone, colour: wantsColour(stream, environment) });
}

function greet({ source, webhooks }: Machine, { options, folder, notes }: RunContext): void {
  if (options.source.kind === 'emulator' && options.mode.kind === 'schedules') {
    const { speed } = options.source;
    notes.say(`a sample company at ${source.baseUrl}, ${speed} times as fast as we are; Ctrl-C ends`);
  }
  for (const webhook of options.webhook === null ? [] : webhooks) {
    const { name, address } = webhook;
    notes.say(`webhook ${name} goes to ${address}, signed with ${describeSecret(webhook, folder)}`);
  }
  if (folder.fresh) notes.progress('installing the baseline: the first look is stored, and not told');
}

/** What the user gave is known to him, and perhaps to nobody else who sees this, in this run and in later ones. */
function describeSecret({ secret, origin }: RedirectedWebhook, folder: DataFolder): string {
  switch (origin) {
    case 'made':
      return secret;
    case 'given':
      return 'the secret that you gave';
    case 'unknown':
      return `the secret in ${folder.file(SIGNING_SECRETS_FILE)}`;
  }
}

/** Polls as the options say, and delivers. Ends early, and well, when asked to or when nobody reads any more. */
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
  /** Settles when the polls under way have ended. */
  readonly rest: Promise<unknown>;
}

async function pollOnce(run: ActiveRun): Promise<PollingOutcome> {
  const rest = run.jobs.refreshNames().then(() => run.session.pollAll());
  return { verdict: await Promise.race([rest, waitForInterruption(run)]), rest };
}

/** Polls again and again, until interrupted or refused. */
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

/** Somebody asked for an end, or the reader of our output has gone. */
async function waitForInterruption({ stop, delivery, recipients }: ActiveRun): Promise<'interrupted'> {
  const readerGone = Promise.race([delivery.failed, recipients.failed]).catch(ignoreReaderGone);
  await Promise.race([stop.requested, readerGone]);
  return 'interrupted';
}

/** Answers whether everybody got what was on its way. */
async function finishDelivery(run: ActiveRun, verdict: PollingOutcome['verdict']): Promise<boolean> {
  const { stop, delivery, recipients } = run;
  const limit = stop.signal.aborted ? AbortSignal.timeout(LAST_DELIVERY_MS) : stop.signal;
  const events = delivery.finish(limit);
  const messages = verdict === 'interrupted' ? Promise.resolve(false) : drainMessages(run);
  const mails = messages.then(() => recipients.finish(limit));
  await Promise.all([events, mails]).catch(ignoreReaderGone);
  return await messages.catch(() => false);
}

/** What people and systems are still to get. What does not reach them waits in the data folder. */
async function drainMessages({ stop, recipients, notes, options }: ActiveRun): Promise<boolean> {
  if (await recipients.drain(stop.signal)) return true;
  if (!stop.signal.aborted)
    notes.say(describeUndelivered(await recipients.undelivered(), options.dataFolder));
  return false;
}

/** Such as `1690 messages were not delivered (1690 in webhook-payroll); they wait in .data, run again to go on`. */
export function describeUndelivered(queues: readonly QueueBacklog[], dataFolder: string): string {
  const total = queues.reduce((sum, { messages }) => sum + messages, 0);
  const places = queues.map(({ queueName, messages }) => `${messages} in ${queueName}`).join(', ');
  const where = places === '' ? '' : ` (${places})`;
  return `${total} messages were not delivered${where}; they wait in ${dataFolder}, run again to go on`;
}

/** What the reader did not take stays in the queue for the next run. */
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
  // A run that was killed has left its leases; no poll of it is alive, and a complete one takes them over.
  const opening = session.pollAll().then(note);
  const fast = options.source.kind === 'emulator';
  const polls = machine.polling.functions.map((pollFunction) => {
    let opened = false;
    return repeat(fast ? EMULATOR_INTERVAL_MS : pollFunction.intervalMs, async () => {
      if (opened) note(await session.poll(pollFunction, 'due'));
      else await opening;
      opened = true;
    });
  });
  return [...polls, ...jobs.begin(opening)];
}

function createRefusedError({ source }: Machine, { refusals }: Session): NotifierError {
  const [reason = ''] = refusals;
  const said = reason.replaceAll(source.token, '***').replaceAll(/\s+/g, ' ');
  return new NotifierError(
    'source_refused',
    `the source at ${source.baseUrl} refused the credential (${said}); set ${TOKEN_VARIABLE} to a token that may read pay periods and timesheets`,
  );
}
