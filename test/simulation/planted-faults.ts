import { expect, test } from 'vitest';
import { CAUGHT_AT } from './caught-at.ts';
import type { Engine } from './history.ts';

/** Histories within which a planted fault must be caught, where the one that is known to catch it does not. */
const MAX_HISTORIES = 1_000;
const MAX_TEST_MS = 1_200_000;

/** A mistake that is planted to show that the simulation catches it: an engine, or a name that replaced modules know. */
export interface PlantedFault {
  readonly name: string;
  readonly engine?: Engine;
}

/**
 * Tests that the simulation catches each mistake, and prints by which history. The one that caught it before is run
 * first, so that this takes no time; others follow when the engine has changed.
 */
export function testPlantedFaults(faults: readonly PlantedFault[], planted: { name: string }): void {
  test.each(faults.map((fault) => [fault.name, fault] as const))(
    '%s is caught',
    async (name, { engine }) => {
      if (engine === undefined) planted.name = name;
      const found = await findCatch(name, engine, planted);
      planted.name = '';
      process.stdout.write(
        `  '${name}': ${found?.seed ?? null}, // ${found?.text.slice(0, 140) ?? 'never'}\n`,
      );
      expect(found).not.toBeNull();
    },
    MAX_TEST_MS,
  );
}

async function findCatch(
  name: string,
  engine: Engine | undefined,
  planted: { name: string },
): Promise<{ readonly seed: number; readonly text: string } | null> {
  // Only now: modules that it imports are replaced by then.
  const { runHistories } = await import('./run-histories.ts');
  // What the right engine does wrong as well says nothing.
  const isRight = async (seed: number) => {
    const mistake = planted.name;
    planted.name = '';
    const { failures } = await runHistories({ seed, histories: 1 });
    planted.name = mistake;
    return failures.length === 0;
  };
  const known = CAUGHT_AT[name];
  const seeds = Array.from({ length: MAX_HISTORIES }, (_each, place) => place + 1);
  for (const seed of known === undefined ? seeds : [known, ...seeds]) {
    const { failures } = await runHistories({
      seed,
      histories: 1,
      ...(engine === undefined ? {} : { engine }),
    });
    const text = failures[0]?.violations[0]?.text;
    if (text !== undefined && (await isRight(seed))) return { seed, text };
  }
  return null;
}
