import { expect, test } from 'vitest';
import { CAUGHT_AT } from './caught-at.ts';
import type { Engine } from './history.ts';
// They replace modules of the product, which only a registry of their own undoes.
import { ACCOUNT_MISTAKES } from './replaced/accounts.ts';
import { CORE_MISTAKES } from './replaced/core.ts';
import { EVENT_MISTAKES } from './replaced/events.ts';
import { FLOW_MISTAKES } from './replaced/flow.ts';
import { planted } from './replaced/planted.ts';
import { WRONG_ENGINES } from './wrong-engines.ts';

/** Mistakes that are planted to show that the simulation catches them: engines, and names that replaced modules know. */
const ENGINES = new Map<string, Engine>(WRONG_ENGINES.map((engine) => [engine.name, engine]));
const MISTAKES = [...ACCOUNT_MISTAKES, ...CORE_MISTAKES, ...EVENT_MISTAKES, ...FLOW_MISTAKES];
const FAULTS = [...ENGINES.keys(), ...MISTAKES];
const MIN_FAULTS = 57;
/** Histories within which one must be caught, where the one that is known to catch it does not. */
const MAX_HISTORIES = 1_000;
const MAX_TEST_MS = 1_200_000;

test.each(FAULTS)(
  '%s is caught',
  async (name) => {
    if (!ENGINES.has(name)) planted.name = name;
    const found = await findCatch(name);
    planted.name = '';
    process.stdout.write(`  '${name}': ${found?.seed ?? null}, // ${found?.text.slice(0, 140) ?? 'never'}\n`);
    expect(found).not.toBeNull();
  },
  MAX_TEST_MS,
);

test('there are many of them, and the right engine is not caught', async () => {
  expect(new Set(FAULTS).size).toBe(FAULTS.length);
  expect(FAULTS.length).toBeGreaterThanOrEqual(MIN_FAULTS);
  expect(await findViolation(1, 10)).toBeUndefined();
});

/** The one that caught it before is run first, so that this takes no time; others follow when the engine has changed. */
async function findCatch(name: string): Promise<{ readonly seed: number; readonly text: string } | null> {
  const known = CAUGHT_AT[name];
  const seeds = Array.from({ length: MAX_HISTORIES }, (_each, place) => place + 1);
  for (const seed of known === undefined ? seeds : [known, ...seeds]) {
    const text = await findViolation(seed, 1, ENGINES.get(name));
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
