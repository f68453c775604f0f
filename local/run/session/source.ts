import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { DataFolder } from '#local/aws/engines/data-folder.ts';
import type { VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { keepTime, openSimulation } from '#local/source/simulated-time.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { RunOptions, SourceChoice } from '../options.ts';

const KIND_FILE = 'source';
const SECRET_BYTES = 24;
const JOURNAL_FILE = 'company.jsonl';

/** A real source, or the sample company in this process. */
export interface Source {
  readonly baseUrl: string;
  readonly token: string;
  /** The clock of the run; `null` for real time. */
  readonly clock: VirtualClock | null;
  stop(): Promise<void>;
}

/**
 * The source of a run: a real one, or the sample company in this process. Throws a `NotifierError` when the data folder
 * holds the other kind, because every record would then be reported as removed.
 */
export async function startRunSource(options: RunOptions, folder: DataFolder): Promise<Source> {
  claimFolder(folder, options.source.kind);
  const { source, timeZone } = options;
  if (source.kind === 'remote') return { ...source, clock: null, stop: async () => {} };
  const { speed } = source;
  const simulation = openSimulation(folder, timeZone);
  // Imported late: a run against a real source does not need the emulator.
  const { startSource } = await import('#local/source/server.ts');
  const { seed, startsAt, resumeAt, calendars } = simulation;
  const journal = folder.file(JOURNAL_FILE);
  const running = await startSource({
    ...{ seed, startsAt, resumeAt, calendars, timeZone, speed, journal },
    ...createSourceSecrets(),
  });
  const keeper = keepTime(folder, simulation, { now: running.now, speed });
  return {
    baseUrl: running.baseUrl,
    token: running.token,
    clock: { startsAtMs: running.now(), anchorMs: Date.now(), speed },
    stop: async () => {
      keeper.stop();
      await running.close();
    },
  };
}

/** Of this run: those that the emulator has by default are known to everybody. */
export function createSourceSecrets(): { readonly token: string; readonly clientSecret: string } {
  const create = () => randomBytes(SECRET_BYTES).toString('base64url');
  return { token: create(), clientSecret: create() };
}

function claimFolder(folder: DataFolder, kind: SourceChoice['kind']): void {
  const file = folder.file(KIND_FILE);
  if (!existsSync(file)) {
    writeFileSync(file, kind);
    return;
  }
  if (readFileSync(file, 'utf8') === kind) return;
  const known = kind === 'remote' ? 'the sample company' : 'a real source';
  throw new NotifierError(
    'data_folder_differs',
    `data folder ${folder.path} belongs to ${known}; name another folder with --data`,
  );
}
