import * as z from 'zod';
import { type Repetition, repeat } from '#local/aws/functions/repeat.ts';
import type { DeployedSchedule, Deployment } from '#local/aws/template/deployment.ts';
import { type DirectoryRequest, directoryRequestSchema } from '#shared/config/requests/names-request.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Notes } from '../output/notes.ts';
import type { Machine } from './machine.ts';

const releaseRequestSchema = z.strictObject({ scope: z.literal('due') });

/** More often than this nobody can read. */
const LEAST_INTERVAL_MS = 1_000;

/** A schedule of the template that does not poll, as it runs here. */
interface Chore {
  readonly functionName: string;
  readonly input: unknown;
  /** Real milliseconds. */
  readonly everyMs: number;
  readonly kind: 'names' | 'release' | 'other';
}

/** The schedules of the template that do not poll: they are all for people, and run when people are told. */
export interface Chores {
  /** Asks for the names that people are shown. */
  refreshNames(): Promise<void>;
  /** Releases all alerts that no quiet hours hold, whether their time has come or not. */
  releaseAll(): Promise<void>;
  /** Begins to run each by its rhythm, in the time of the company, after something has settled. */
  begin(after: Promise<unknown>): Repetition[];
}

export interface ChoreOptions {
  readonly machine: Machine;
  readonly notes: Notes;
  /** No one wants to hear of failures any more. */
  readonly stopping: AbortSignal;
}

export function createChores({ machine, notes, stopping }: ChoreOptions): Chores {
  const { aws, polling, source, tellsPeople } = machine;
  const speed = source.clock?.speed ?? 1;
  const chores = tellsPeople ? choresIn(aws.deployment, { polling, speed }) : [];
  const said = new Map<string, string>();
  const run = async ({ functionName, input }: Pick<Chore, 'functionName' | 'input'>) => {
    try {
      await aws.invoke(functionName, input);
      said.delete(functionName);
    } catch (error) {
      if (!(error instanceof NotifierError)) throw error;
      const text = `${error.message.replaceAll(/\s+/g, ' ')}; its log is ${aws.logFile}`;
      // The same at every run is said once.
      if (said.get(functionName) !== text && !stopping.aborted) notes.say(text);
      said.set(functionName, text);
    }
  };
  const ofKind = (kind: Chore['kind']) => chores.filter((chore) => chore.kind === kind);
  return {
    refreshNames: async () => {
      await Promise.all(ofKind('names').map(run));
    },
    releaseAll: async () => {
      const input: ReleaseRequest = { scope: 'all' };
      await Promise.all(ofKind('release').map(({ functionName }) => run({ functionName, input })));
    },
    begin: (after) =>
      chores.map((chore) => {
        let opened = false;
        return repeat(chore.everyMs, async () => {
          if (!opened) await after;
          opened = true;
          if (!stopping.aborted) await run(chore);
        });
      }),
  };
}

function choresIn(
  { schedules }: Deployment,
  { polling, speed }: { polling: Machine['polling']; speed: number },
): Chore[] {
  return schedules.flatMap((schedule): Chore[] => {
    const everyMs = Math.max(LEAST_INTERVAL_MS, schedule.intervalMs / speed);
    return choreOf(schedule, polling).map((chore) => ({
      ...chore,
      functionName: schedule.functionName,
      everyMs,
    }));
  });
}

/** Nothing for a poll, and for names of a connection that is not watched in this run. */
function choreOf(
  { input }: DeployedSchedule,
  { connection }: Machine['polling'],
): Pick<Chore, 'kind' | 'input'>[] {
  if (pollRequestSchema.safeParse(input).success) return [];
  const names = directoryRequestSchema.safeParse(input);
  if (names.success) {
    if (names.data.connection.name !== connection.name) return [];
    return [{ kind: 'names', input: { ...names.data, connection } satisfies DirectoryRequest }];
  }
  const release = releaseRequestSchema.safeParse(input);
  return [{ kind: release.success ? 'release' : 'other', input }];
}
