import { existsSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { addDays, parseInstant, toIso, toLocalDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { readJsonFile } from '../aws/engines/check-database.ts';
import type { DataFolder } from '../aws/engines/data-folder.ts';

const FILE = 'simulated-time.json';
const SEED = 1;
/** The company is first looked at shortly before its people arrive. */
const START_OF_DAY = '07:45:00';
const SAVE_INTERVAL_MS = 1_000;
/** How far ahead of the clock the kept time is: further than the clock runs until it is kept again. */
const SAVE_AHEAD_MS = 2 * SAVE_INTERVAL_MS;

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const simulationSchema = z.strictObject({
  seed: z.int(),
  timeZone: z.string(),
  startsAt: instant,
  resumeAt: instant,
});

/** Which sample company lives in a data folder, and where in its time it goes on. Instants are milliseconds. */
export type Simulation = z.output<typeof simulationSchema>;

/** Keeps the time of the sample company while it runs. */
export interface TimeKeeper {
  /** Keeps the time reached, exactly, and ends. */
  stop(): void;
}

/**
 * The simulation of a data folder, or a new one that begins on the latest working day, today if it is one, at 07:45
 * in the zone. Throws a `NotifierError`
 * when the folder's company lives in another zone: its dates would all move.
 */
export function openSimulation(folder: DataFolder, timeZone: string): Simulation {
  const file = folder.file(FILE);
  if (!existsSync(file)) {
    const now = Date.now();
    const date = latestWorkingDay(toLocalDate(now, timeZone));
    const startsAt = parseInstant(`${date}T${START_OF_DAY}`, timeZone) ?? now;
    return { seed: SEED, timeZone, startsAt, resumeAt: startsAt };
  }
  const known = readJsonFile(file, simulationSchema);
  if (known.timeZone === timeZone) return known;
  throw new NotifierError(
    'data_folder_differs',
    `the sample company in ${folder.path} lives in ${known.timeZone}, not ${timeZone}; use --time-zone ${known.timeZone} or name another folder with --data`,
  );
}

/** Where the time of a folder's company goes on, in milliseconds since 1970; null when none lives in it. */
export function readReachedTime(folder: DataFolder): number | null {
  const file = folder.file(FILE);
  return existsSync(file) ? readJsonFile(file, simulationSchema).resumeAt : null;
}

/** On a weekend there is little to see: few people work, nobody approves. */
function latestWorkingDay(date: string): string {
  const SATURDAY = 6;
  const daysSinceSaturday = (new Date(`${date}T00:00:00Z`).getUTCDay() - SATURDAY + 7) % 7;
  return daysSinceSaturday < 2 ? addDays(date, -1 - daysSinceSaturday) : date;
}

/**
 * Writes down about every second a time that the company has not yet reached, so that after a kill at any moment its
 * time never goes back. `speed` is simulated seconds per real second.
 */
export function keepTime(
  folder: DataFolder,
  simulation: Simulation,
  clock: { now: () => number; speed: number },
): TimeKeeper {
  const keep = (resumeAt: number) => write(folder.file(FILE), { ...simulation, resumeAt });
  const keepAhead = () => keep(clock.now() + SAVE_AHEAD_MS * clock.speed);
  keepAhead();
  const timer = setInterval(keepAhead, SAVE_INTERVAL_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      keep(clock.now());
    },
  };
}

function write(file: string, { startsAt, resumeAt, ...rest }: Simulation): void {
  const text = JSON.stringify({
    ...rest,
    startsAt: toIso(startsAt),
    resumeAt: toIso(Math.round(resumeAt)),
  });
  // A kill in the middle of writing leaves the file as it was.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
