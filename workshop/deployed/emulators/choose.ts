import { parseArgs } from 'node:util';
import type { Emulator } from './emulator.ts';
import { createFakecloud } from './fakecloud.ts';
import { createMoto } from './moto.ts';

const EMULATORS = { moto: createMoto, fakecloud: createFakecloud };

/** For `--only`, what is no step of the operator: the rehearsals, and the upgrade of a project. */
export const REHEARSALS = 'rehearsals';
export const UPGRADE = 'upgrade';

/** What a run shows, and on which emulators. */
interface Choice {
  readonly emulators: readonly Emulator[];
  /** Also what an operator does rarely: rotation of secrets, restoring the table, moving to another account. */
  readonly rehearsals: boolean;
  /**
   * Words in the names of the operator's steps that are run, with what they need and nothing after them, or `REHEARSALS` or
   * `UPGRADE`; null for all.
   */
  readonly only: string | null;
}

/**
 * `--on moto` or `--on fakecloud`; both, one after the other, when nothing is said. `--no-rehearsals` saves a third of
 * the time, and `--only` with words in the name of a step of the operator nearly all of the rest; `--only rehearsals`
 * runs what follows these steps, `--only upgrade` the upgrade of a project alone. Throws on another name.
 */
export function readChoice(args: readonly string[]): Choice {
  const { values } = parseArgs({
    args: [...args],
    options: {
      on: { type: 'string', multiple: true },
      rehearsals: { type: 'boolean', default: true },
      only: { type: 'string' },
    },
    allowNegative: true,
  });
  const names = values.on ?? Object.keys(EMULATORS);
  const emulators = names.map((name) => {
    if (!isEmulatorName(name)) {
      throw new Error(`--on ${name}: not one of ${Object.keys(EMULATORS).join(', ')}`);
    }
    return EMULATORS[name]();
  });
  return { emulators, rehearsals: values.rehearsals, only: values.only ?? null };
}

function isEmulatorName(name: string): name is keyof typeof EMULATORS {
  return Object.hasOwn(EMULATORS, name);
}
