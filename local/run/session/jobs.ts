import * as z from 'zod';
import { type Repetition, repeat } from '#local/aws/functions/repeat.ts';
import type { DeployedSchedule, Deployment } from '#local/aws/template/deployment.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createRepeatedNotes, type Notes } from '../output/notes.ts';
import type { Machine } from './machine.ts';

const releaseRequestSchema = z.strictObject({ scope: z.literal('due') });

/** Alerts more often than this are unreadable. */
const MIN_INTERVAL_MS = 1_000;

/** A schedule of the template that does not poll, as it runs here. */
interface BackgroundJob {
  readonly functionName: string;
  readonly input: unknown;
  /** Real milliseconds. */
  readonly everyMs: number;
  readonly kind: 'release' | 'other';
}

/** The schedules that do not poll, which serve alerts: they run only when alerts are delivered. */
export interface BackgroundJobs {
  /** Releases all alerts now, except those held by quiet hours. */
  releaseAll(): Promise<void>;
  /** Starts all jobs at their intervals, scaled to the simulated clock, once `after` has settled. */
  begin(after: Promise<unknown>): Repetition[];
}

export interface BackgroundJobOptions {
  readonly machine: Machine;
  readonly notes: Notes;
  /** Aborted when the run ends and further failures do not matter. */
  readonly stopping: AbortSignal;
}

export function createBackgroundJobs({ machine, notes, stopping }: BackgroundJobOptions): BackgroundJobs {
  const { aws, source, tellsPeople } = machine;
  const speed = source.clock?.speed ?? 1;
  const jobs = tellsPeople ? listBackgroundJobs(aws.deployment, speed) : [];
  const failures = createRepeatedNotes(notes, stopping);
  const run = async ({ functionName, input }: Pick<BackgroundJob, 'functionName' | 'input'>) => {
    try {
      await aws.invoke(functionName, input);
      failures.forget(functionName);
    } catch (error) {
      if (!(error instanceof NotifierError)) throw error;
      failures.say(functionName, `${error.message.replaceAll(/\s+/g, ' ')}; its log is ${aws.logFile}`);
    }
  };
  const ofKind = (kind: BackgroundJob['kind']) => jobs.filter((job) => job.kind === kind);
  return {
    releaseAll: async () => {
      const input: ReleaseRequest = { scope: 'all' };
      await Promise.all(ofKind('release').map(({ functionName }) => run({ functionName, input })));
    },
    begin: (after) =>
      jobs.map((job) => {
        let opened = false;
        return repeat(job.everyMs, async () => {
          if (!opened) await after;
          opened = true;
          if (!stopping.aborted) await run(job);
        });
      }),
  };
}

function listBackgroundJobs({ schedules }: Deployment, speed: number): BackgroundJob[] {
  return schedules.flatMap((schedule): BackgroundJob[] => {
    const everyMs = Math.max(MIN_INTERVAL_MS, schedule.intervalMs / speed);
    return toBackgroundJob(schedule).map((job) => ({
      ...job,
      functionName: schedule.functionName,
      everyMs,
    }));
  });
}

/** Empty for a poll. */
function toBackgroundJob({ input }: DeployedSchedule): Pick<BackgroundJob, 'kind' | 'input'>[] {
  if (pollRequestSchema.safeParse(input).success) return [];
  const release = releaseRequestSchema.safeParse(input);
  return [{ kind: release.success ? 'release' : 'other', input }];
}
