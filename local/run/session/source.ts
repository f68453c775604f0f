import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { DataFolder } from '#local/aws/engines/data-folder.ts';
import type { VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { keepTime, openSimulation } from '#local/source/simulated-time.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { RunOptions, SourceChoice } from '../options.ts';

const KIND_FILE = 'source';
const JOURNAL_FILE = 'company.jsonl';

/** The source that a run watches. */
export interface Source {
  readonly baseUrl: string;
  readonly token: string;
  /** Time that everything lives in; `null` for real time. */
  readonly clock: VirtualClock | null;
  stop(): Promise<void>;
}

/**
 * The source of a run: a real one, or the sample company started in this process. Throws a `NotifierError` when the
 * data folder remembers the other kind: every record of the one would be told as removed by the other.
 */
export async function startRunSource(options: RunOptions, folder: DataFolder): Promise<Source> {
  claim(folder, options.source.kind);
  const { source, timeZone } = options;
  if (source.kind === 'remote') return { ...source, clock: null, stop: async () => {} };
  const { speed } = source;
  const simulation = openSimulation(folder, timeZone);
  // Only here, because a run against a real source has no use for all of the emulator's code.
  const { startSource } = await import('#local/source/server.ts');
  const { seed, startsAt, resumeAt } = simulation;
  const journal = folder.file(JOURNAL_FILE);
  const running = await startSource({ seed, startsAt, resumeAt, timeZone, speed, journal });
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

function claim(folder: DataFolder, kind: SourceChoice['kind']): void {
  const file = folder.file(KIND_FILE);
  if (!existsSync(file)) {
    writeFileSync(file, kind);
    return;
  }
  if (readFileSync(file, 'utf8') === kind) return;
  const known = kind === 'remote' ? 'the sample company' : 'a real source';
  throw new NotifierError(
    'data_folder_differs',
    `data folder ${folder.path} remembers ${known}, and this run is to watch another; name another folder with --data`,
  );
}
