import { expect, test } from 'vitest';
import type { Engine } from './history.ts';
// They replace modules of the product, which only a registry of their own undoes.
import { ACCOUNT_MISTAKES } from './replaced/accounts.ts';
import { CORE_MISTAKES } from './replaced/core.ts';
import { EVENT_MISTAKES } from './replaced/events.ts';
import { FLOW_MISTAKES } from './replaced/flow.ts';
import { planted } from './replaced/planted.ts';
import { WRONG_ENGINES } from './wrong-engines.ts';

/** Mistakes that are planted to show that the simulation catches them, each with the history to begin with. */
const FAULTS: ReadonlyMap<string, number> = new Map([
  ...[...WRONG_ENGINES.keys()].map((name) => [name, 1] as const),
  ...Object.entries({ ...ACCOUNT_MISTAKES, ...CORE_MISTAKES, ...EVENT_MISTAKES, ...FLOW_MISTAKES }),
]);
const PLANTED = 40;
/** Histories within which one must be caught, where the one that is known to catch it does not. */
const MAX_HISTORIES = 1_000;
const MAX_TEST_MS = 1_200_000;

test.each([...FAULTS])(
  '%s is caught',
  async (name, caughtAt) => {
    if (!WRONG_ENGINES.has(name)) planted.name = name;
    const found = await findCatch(name, caughtAt);
    planted.name = '';
    process.stdout.write(`  '${name}': ${found?.seed ?? null}, // ${found?.text.slice(0, 140) ?? 'never'}\n`);
    expect(found).not.toBeNull();
  },
  MAX_TEST_MS,
);

test('all of them are planted, and the right engine is not caught', async () => {
  expect(FAULTS.size).toBe(PLANTED);
  expect(await findViolation(1, 10)).toBeUndefined();
});

/** The one that caught it before is run first, so that this takes no time; others follow when the engine has changed. */
async function findCatch(
  name: string,
  caughtAt: number,
): Promise<{ readonly seed: number; readonly text: string } | null> {
  for (const seed of [caughtAt, ...Array.from({ length: MAX_HISTORIES }, (_each, place) => place + 1)]) {
    const text = await findViolation(seed, 1, WRONG_ENGINES.get(name));
    if (text !== undefined && (await isRight(seed))) return { seed, text };
  }
  return null;
}

/** What the right engine does wrong as well says nothing. */
async function isRight(seed: number): Promise<boolean> {
  const mistake = planted.name;
  planted.name = '';
  const text = await findViolation(seed, 1);
  planted.name = mistake;
  return text === undefined;
}

async function findViolation(seed: number, histories: number, engine?: Engine): Promise<string | undefined> {
  // Only now: modules that it imports are replaced by then.
  const { runHistories } = await import('./run-histories.ts');
  const { failures } = await runHistories({ seed, histories, ...(engine === undefined ? {} : { engine }) });
  return failures[0]?.violations[0]?.text;
}
