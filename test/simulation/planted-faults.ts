import { afterAll, expect, test } from 'vitest';
import { type Assignment, runHistories } from './run-histories.ts';

const SEED = 1;
/** Histories within which a planted fault must be caught. */
const MAX_HISTORIES = 1_000;
const MAX_TEST_MS = 600_000;

/** A fault of the notifier, planted to show that the simulation catches it. */
export interface PlantedFault extends Pick<Assignment, 'engine' | 'checks'> {
  readonly name: string;
  /** Plants a fault that is not in the engine. */
  readonly plant?: () => void;
}

/** Tests that the simulation catches each fault, and prints after how many histories. `title` has a place for the name. */
export function testPlantedFaults(title: string, faults: readonly PlantedFault[]): void {
  const caught: string[] = [];

  test.each(faults.map((fault) => [fault.name, fault] as const))(
    title,
    async (name, { plant, name: _, ...assignment }) => {
      plant?.();
      const { histories, failures } = await runHistories({
        ...assignment,
        seed: SEED,
        histories: MAX_HISTORIES,
        maxFailures: 1,
      });
      const violations = failures[0]?.violations;
      caught.push(`${name}: after ${histories} histories, ${violations?.[0]?.text.slice(0, 160) ?? 'never'}`);
      expect(violations).not.toBeUndefined();
    },
    MAX_TEST_MS,
  );

  afterAll(() => {
    process.stdout.write(`${caught.join('\n')}\n`);
  });
}
