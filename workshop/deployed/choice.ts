import { parseArgs } from 'node:util';

/** For `--only`, what is no step of the operator: the rehearsals, and the upgrade of a project. */
export const REHEARSALS = 'rehearsals';
export const UPGRADE = 'upgrade';

/** What a run shows. */
interface Choice {
  /** Also what an operator does rarely: rotation of secrets, restoring the table, moving to another account. */
  readonly rehearsals: boolean;
  /**
   * Words in the names of the operator's steps that are run, with what they need and nothing after them, or `REHEARSALS` or
   * `UPGRADE`; null for all.
   */
  readonly only: string | null;
}

/**
 * `--no-rehearsals` saves a third of the time, and `--only` with words in the name of a step of the operator nearly all of
 * the rest; `--only rehearsals` runs what follows these steps, `--only upgrade` the upgrade of a project alone.
 */
export function readChoice(args: readonly string[]): Choice {
  const { values } = parseArgs({
    args: [...args],
    options: { rehearsals: { type: 'boolean', default: true }, only: { type: 'string' } },
    allowNegative: true,
  });
  return { rehearsals: values.rehearsals, only: values.only ?? null };
}
