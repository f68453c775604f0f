import { existsSync } from 'node:fs';
import * as z from 'zod';
import { replaceFile } from '#shared/adapters/system/replace-file.ts';
import { addDays, isWeekend, parseInstant, toIso, toLocalDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { readJsonFile } from '../aws/engines/check-database.ts';
import type { DataFolder } from '../aws/engines/data-folder.ts';

const FILE = 'simulated-time.json';
/** People are clocking in, and managers approve a few minutes later. */
const START_OF_DAY = '07:59:00';
const SAVE_INTERVAL_MS = 1_000;
/** How far ahead of the clock the stored time is: further than the clock gets until the next write. */
const SAVE_AHEAD_MS = 2 * SAVE_INTERVAL_MS;

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const simulationSchema = z.object({
  timeZone: z.string(),
  startsAt: instant,
  resumeAt: instant,
});

/** The sample company of a data folder and the time at which it continues. Instants are milliseconds since 1970. */
export type Simulation = z.output<typeof simulationSchema>;

/**
 * The simulation of a data folder, or a new one that begins at 07:59 local time on the latest working day, which may be
 * today. Throws a `NotifierError` when the folder's company is in another time zone: all its dates would move.
 */
export function openSimulation(folder: DataFolder, timeZone: string): Simulation {
  const known = readSimulation(folder);
  if (known === null) {
    const startsAt = latestWorkingMorning(timeZone);
    return { timeZone, startsAt, resumeAt: startsAt };
  }
  if (known.timeZone === timeZone) return known;
  throw new NotifierError(
    'data_folder_differs',
    `the sample company in ${folder.path} is in the time zone ${known.timeZone}, not ${timeZone}; use --time-zone ${known.timeZone} or name another folder with --data`,
  );
}

/** The time at which a folder's company continues, in milliseconds since 1970; null when there is none. */
export function readReachedTime(folder: DataFolder): number | null {
  return readSimulation(folder)?.resumeAt ?? null;
}

function readSimulation(folder: DataFolder): Simulation | null {
  const file = folder.file(FILE);
  return existsSync(file) ? readJsonFile(file, simulationSchema) : null;
}

/** On a weekend there is little to see: few employees work, nothing is approved. */
function latestWorkingMorning(timeZone: string): number {
  const now = Date.now();
  let date = toLocalDate(now, timeZone);
  while (isWeekend(date)) date = addDays(date, -1);
  return parseInstant(`${date}T${START_OF_DAY}`, timeZone) ?? now;
}

/**
 * Stores every second a time that the company has not reached yet, so that its time never goes back after a kill.
 * `speed` is in simulated seconds per real second. To stop stores the exact time.
 */
export function keepTime(
  folder: DataFolder,
  simulation: Simulation,
  clock: { now: () => number; speed: number },
): { stop(): void } {
  const keep = (resumeAt: number) => {
    const times = { startsAt: toIso(simulation.startsAt), resumeAt: toIso(Math.round(resumeAt)) };
    replaceFile(folder.file(FILE), JSON.stringify({ ...simulation, ...times }));
  };
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
