import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataFolder, openDataFolder } from '#local/aws/engines/data-folder.ts';
import type { QueueReader } from '#local/aws/functions/queue-messages.ts';
import { installVirtualDate, realNow, type VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { readMails } from '#local/receivers/mail.ts';
import type { RunOptions } from '#local/run/options.ts';
import { type Delivered, startDelivery } from '#local/run/session/delivery.ts';
import { toBackgroundJob } from '#local/run/session/jobs.ts';
import { createSourceSecrets, type Machine, startMachine } from '#local/run/session/machine.ts';
import { buildPollRequest } from '#local/run/session/polling.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { latestWorkingMorning } from '#local/source/simulated-time.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { ReceivedMessage } from '#shared/terminal/format-message.ts';
import type { AlarmChange } from './alarms/alarm-watch.ts';
import { type Breakage, type Broken, startBreakage } from './breakage.ts';
import { type CloudWatch, createCloudWatch } from './cloud-watch.ts';
import { keepDeadRequest, takeSubscribed } from './queues.ts';

/** The embedded SQS looks every 20 ms for messages whose delay is over. */
const QUEUE_TICK_MS = 40;
const IDLE_CHECK_MS = 20;
/** Real time for the work of a minute. Longer than any pause of a function in the time of the drill. */
const MAX_MINUTE_MS = 20_000;
const SEED = 1;
/** Of two minutes. */
const MAX_POLL_TIMES = 4;

/** What a minute brought. */
export interface Minute {
  /** Its beginning, in milliseconds since 1970. */
  readonly at: number;
  readonly alarms: readonly AlarmChange[];
  /** New events on the topics. */
  readonly delivered: readonly Delivered[];
  /** What people received. */
  readonly people: readonly ReceivedMessage[];
  /** New lines of the functions' log. */
  readonly log: readonly string[];
}

/** The sample company, its source, and the notifier on one machine in simulated time, minute by minute. */
export interface DrillStage {
  readonly company: RunningSource['company'];
  readonly machine: Machine;
  now(): number;
  /** Runs the schedules of the next minute, and everything that follows from them. */
  runMinute(): Promise<Minute>;
  /** Polls both feeds over the whole window, and the names that messages show. */
  pollAll(): Promise<void>;
  /** Lets time go as slowly as the machine is: by its last polls, which must have been of a source that answers. */
  adaptSpeed(): void;
  break(broken: Broken): Promise<void>;
  /** Alarms that sound. */
  sounding(): string[];
  stop(): Promise<void>;
}

export interface StageOptions {
  readonly run: RunOptions;
  readonly assembly: string;
  readonly environment: NodeJS.ProcessEnv;
}

export async function startStage({ run, assembly, environment }: StageOptions): Promise<DrillStage> {
  const { timeZone } = run;
  const drillClock = createDrillClock(latestWorkingMorning(timeZone));
  installVirtualDate(() => drillClock.clock);
  const path = mkdtempSync(join(tmpdir(), 'notifier-drill-'));
  const folder = await openDataFolder(path);
  const source = await startSource({
    ...{ seed: SEED, startsAt: Date.now(), timeZone, speed: 1 },
    ...createSourceSecrets(),
  });
  const watcher: { cloudWatch: CloudWatch | null } = { cloudWatch: null };
  const breakage = await startBreakage({
    noteFault: (fault, request) => watcher.cloudWatch?.noteFault(fault, request),
  });
  const people: ReceivedMessage[] = [];
  const machine = await startMachine({
    run,
    folder,
    assembly: async () => assembly,
    environment,
    show: async (message) => void people.push(message),
    drill: {
      source: { baseUrl: source.baseUrl, token: source.token, clock: drillClock.clock, stop: source.close },
      failing: breakage.failing,
      reach: breakage.reach,
      invoked: (result) => watcher.cloudWatch?.noteInvocation(result),
    },
  });
  watcher.cloudWatch = createCloudWatch({
    assembly,
    logFile: machine.aws.logFile,
    tableName: findTableName(machine),
    connection: machine.polling.connection.name,
  });
  const parts = { machine, source, folder, breakage, drillClock, people, cloudWatch: watcher.cloudWatch };
  return createStage(parts);
}

interface Parts {
  readonly machine: Machine;
  readonly source: RunningSource;
  readonly folder: DataFolder;
  readonly breakage: Breakage;
  readonly drillClock: DrillClock;
  readonly cloudWatch: CloudWatch;
  /** Messages that people received and nobody has taken yet. */
  readonly people: ReceivedMessage[];
}

function createStage(parts: Parts): DrillStage {
  const { machine, source, folder, breakage, drillClock, cloudWatch, people } = parts;
  const { aws } = machine;
  const delivered: Delivered[] = [];
  const pollTimes: number[] = [];
  const readers: QueueReader[] = [
    startDelivery(machine, async (event) => void delivered.push(event)),
    ...machine.mails.map((group) => readMails(aws, group, async (mail) => void people.push(mail))),
  ];
  return {
    company: source.company,
    machine,
    now: () => Date.now(),
    sounding: () => cloudWatch.watch.sounding(),
    adaptSpeed: () => drillClock.adaptTo(Math.max(...pollTimes)),
    break: (broken) => breakage.set(broken, source),
    pollAll: async () => {
      for (const { name } of machine.polling.functions) {
        await aws.invoke(name, buildPollRequest(machine.polling.connection, 'window'));
      }
      for (const schedule of aws.deployment.schedules) {
        const [job] = toBackgroundJob(schedule, machine.polling);
        if (job?.kind === 'names') await aws.invoke(schedule.functionName, job.input);
      }
      await waitUntilIdle(machine);
    },
    runMinute: async () => {
      const before = Date.now();
      drillClock.toNextMinute(before);
      const at = Date.now();
      const alarms = cloudWatch.evaluate(at);
      await delay(QUEUE_TICK_MS);
      pollTimes.push(...(await startSchedules(machine, before, at)));
      pollTimes.splice(0, pollTimes.length - MAX_POLL_TIMES);
      await waitUntilIdle(machine);
      await takeSubscribed(machine);
      const log = await cloudWatch.gather(at, aws);
      return { at, alarms, delivered: delivered.splice(0), people: people.splice(0), log };
    },
    stop: async () => {
      await Promise.all(readers.map((reader) => reader.finish(AbortSignal.timeout(0)).catch(() => {})));
      await machine.stop();
      await breakage.stop();
      folder.release();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

/**
 * Runs the schedules that fall due between two instants. A request that fails goes to its dead-letter queue. Returns how
 * many real milliseconds each poll took.
 */
async function startSchedules({ aws, polling }: Machine, after: number, until: number): Promise<number[]> {
  const own = new Set(polling.functions.map(({ name }) => name));
  const due = aws.deployment.schedules.filter(
    ({ intervalMs }) => Math.floor(after / intervalMs) < Math.floor(until / intervalMs),
  );
  const pollTimes: number[] = [];
  await Promise.all(
    due.map(async ({ functionName, input }) => {
      const event = own.has(functionName)
        ? buildPollRequest(polling.connection, 'due')
        : toBackgroundJob({ input }, polling)[0]?.input;
      if (event === undefined) return;
      const startedAt = performance.now();
      try {
        await aws.invoke(functionName, event);
        if (own.has(functionName)) pollTimes.push(performance.now() - startedAt);
      } catch (error) {
        if (!(error instanceof NotifierError)) throw error;
        await keepDeadRequest(aws, functionName, { event, error });
      }
    }),
  );
  return pollTimes;
}

async function waitUntilIdle({ aws }: Machine): Promise<void> {
  const until = performance.now() + MAX_MINUTE_MS;
  while (!aws.idle(() => true) && performance.now() < until) await delay(IDLE_CHECK_MS);
}

function findTableName({ aws }: Machine): string {
  const names = aws.deployment.functions.map(({ environment }) => environment[ENVIRONMENT.tableName]);
  return names.find((name) => name !== undefined) ?? '';
}

/**
 * Simulated seconds per real second while something runs. Between two minutes the clock jumps, so a minute takes as long
 * as its work; this one makes the pauses of a retry short.
 */
const SPEED = { min: 4, max: 40 } as const;
/** A poll of a source that answers takes no longer in simulated time, however busy the machine is. */
const MAX_POLL_MS = 10_000;
const MINUTE_MS = 60_000;

/** The time of a drill, for this process and those of the functions. */
interface DrillClock {
  readonly clock: VirtualClock;
  /** Jumps to the beginning of the next minute. */
  toNextMinute(now: number): void;
  /** From the next minute on, goes at the speed that suits a poll of so many real milliseconds. */
  adaptTo(pollMs: number): void;
}

export function createDrillClock(startsAtMs: number): DrillClock {
  const clock = { startsAtMs, anchorMs: realNow(), speed: SPEED.max, scalesPauses: true } as const;
  const moving: { -readonly [Key in keyof VirtualClock]: VirtualClock[Key] } = clock;
  let speed: number = SPEED.max;
  return {
    clock,
    adaptTo: (pollMs) => {
      speed = Math.min(SPEED.max, Math.max(SPEED.min, MAX_POLL_MS / pollMs));
    },
    toNextMinute: (now) => {
      moving.startsAtMs = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
      moving.anchorMs = realNow();
      moving.speed = speed;
    },
  };
}
