import { afterAll, expect, test } from 'vitest';
import { CAUGHT_AT } from './caught-at.ts';
import type { Assignment } from './run-histories.ts';

/** Histories within which a planted fault must be caught, where the one that is known to catch it does not. */
const MAX_HISTORIES = 2_000;
const MAX_TEST_MS = 1_200_000;

/** A fault of the notifier, planted to show that the simulation catches it. */
export interface PlantedFault extends Pick<Assignment, 'engine' | 'checks'> {
  readonly name: string;
  /** Plants a fault that is not in the engine, where its name is not enough. */
  readonly plant?: () => void;
  /** What is said of it; anything by default. */
  readonly said?: RegExp;
  /** Histories that can catch it; all by default. */
  readonly isCandidate?: (seed: number) => Promise<boolean>;
}

/**
 * Tests that the simulation catches each fault, and prints by which history. `title` has a place for the name. The
 * history that caught it before is run first, so that this takes no time; others follow when the engine has changed.
 * `planted`: where the replaced modules look which fault is planted.
 */
export function testPlantedFaults(
  title: string,
  faults: readonly PlantedFault[],
  planted?: { name: string },
): void {
  const caught: string[] = [];

  test.each(faults.map((fault) => [fault.name, fault] as const))(
    title,
    async (name, fault) => {
      if (planted !== undefined) planted.name = name;
      fault.plant?.();
      const found = await findCatch(fault);
      caught.push(`  '${name}': ${found?.seed ?? null}, // ${found?.text.slice(0, 160) ?? 'never'}`);
      expect(found).not.toBeNull();
    },
    MAX_TEST_MS,
  );

  afterAll(() => {
    if (planted !== undefined) planted.name = '';
    process.stdout.write(`${caught.join('\n')}\n`);
  });
}

async function findCatch(
  fault: PlantedFault,
): Promise<{ readonly seed: number; readonly text: string } | null> {
  const { name, plant: _, said = /^/, isCandidate = async () => true, ...assignment } = fault;
  // Only now: modules that it imports are replaced by then.
  const { runHistories } = await import('./run-histories.ts');
  const known = CAUGHT_AT[name];
  const seeds = Array.from({ length: MAX_HISTORIES }, (_each, place) => place + 1);
  for (const seed of known === undefined ? seeds : [known, ...seeds]) {
    if (seed !== known && !(await isCandidate(seed))) continue;
    const { failures } = await runHistories({ ...assignment, seed, histories: 1 });
    const texts = failures.flatMap(({ violations }) => violations.map(({ text }) => text));
    const text = texts.find((each) => said.test(each));
    if (text !== undefined) return { seed, text };
    // It fails by what it is not: the mistake would hide behind another.
    if (texts.length > 0 && fault.said !== undefined) throw new Error(`seed ${seed}: ${texts.join('; ')}`);
  }
  return null;
}
