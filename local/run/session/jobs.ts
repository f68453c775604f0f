import * as z from 'zod';
import { type Repetition, repeat } from '#local/aws/functions/repeat.ts';
import type { DeployedSchedule } from '#local/aws/template/deployment.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createRepeatedNotes, type Notes } from '../output/notes.ts';
import type { Machine } from './machine.ts';

const releaseRequestSchema = z.strictObject({ scope: z.literal('due') });
const RELEASE_ALL: ReleaseRequest = { scope: 'all' };

/** Alerts more often than this are unreadable. */
const MIN_INTERVAL_MS = 1_000;

/** The schedules that do not poll, which serve alerts: they run only when alerts are delivered. */
export interface BackgroundJobs {
  /** Releases all alerts now, except those held by quiet hours. */
  releaseAll(): Promise<void>;
  /** Starts all jobs at their intervals, scaled to the simulated clock, once `after` has settled. */
  begin(after: Promise<unknown>): Repetition[];
}

export interface BackgroundJobOptions {
  readonly machine: Pick<Machine, 'aws' | 'source' | 'tellsPeople'>;
  readonly notes: Notes;
  /** Aborted when the run ends and further failures do not matter. */
  readonly stopping: AbortSignal;
}

export function createBackgroundJobs({ machine, notes, stopping }: BackgroundJobOptions): BackgroundJobs {
  const { aws, source, tellsPeople } = machine;
  const speed = source.clock?.speed ?? 1;
  const jobs = tellsPeople ? aws.deployment.schedules.filter(({ input }) => !isPoll(input)) : [];
  const failures = createRepeatedNotes(notes, stopping);
  const run = async ({ functionName, input }: Pick<DeployedSchedule, 'functionName' | 'input'>) => {
    try {
      await aws.invoke(functionName, input);
      failures.forget(functionName);
    } catch (error) {
      if (!(error instanceof NotifierError)) throw error;
      failures.say(functionName, `${error.message.replaceAll(/\s+/g, ' ')}; its log is ${aws.logFile}`);
    }
  };
  const releases = jobs.filter(({ input }) => releaseRequestSchema.safeParse(input).success);
  return {
    releaseAll: async () => {
      await Promise.all(releases.map(({ functionName }) => run({ functionName, input: RELEASE_ALL })));
    },
    begin: (after) =>
      jobs.map((job) =>
        repeat(Math.max(MIN_INTERVAL_MS, job.intervalMs / speed), async () => {
          await after;
          if (!stopping.aborted) await run(job);
        }),
      ),
  };
}

function isPoll(input: unknown): boolean {
  return pollRequestSchema.safeParse(input).success;
}
