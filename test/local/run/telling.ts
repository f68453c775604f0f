import { fixtureEvent, writePeopleAssembly } from './fixture-people.ts';
import { openSource, runHere, startRun } from './fixture-run.ts';

/** A run in this process whose first complete poll publishes events with these numbers, on a data folder. */
export async function tellHere(data: string, numbers: readonly number[], args: readonly string[]) {
  return runHere(...(await prepareRun(data, numbers, args)));
}

/** The same in a process of its own. */
export async function startTelling(data: string, numbers: readonly number[], args: readonly string[]) {
  return startRun(...(await prepareRun(data, numbers, args)));
}

async function prepareRun(data: string, numbers: readonly number[], args: readonly string[]) {
  const messages = numbers.map(fixtureEvent);
  const { baseUrl } = await openSource((times) => (times === 1 ? { messages } : {}));
  return [['--base-url', baseUrl, '--data', data, ...args], writePeopleAssembly()] as const;
}

export function webhooksIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith('      → '));
}
