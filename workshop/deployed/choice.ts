import { Command } from 'commander';

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

/** Reads the command line. */
export function readChoice(args: readonly string[]): Choice {
  const { rehearsals, only = null } = new Command('npm run test:deployed --')
    .description('Deploys the stack to an AWS that this project did not write, and runs it there.')
    .option('--no-rehearsals', 'leave out what an operator does rarely, which saves a third of the time')
    .option(
      '--only <words>',
      `only the steps of the operator with these words in their names and what they need; ${REHEARSALS}: what follows these steps; ${UPGRADE}: the upgrade of a project alone`,
    )
    .parse(args, { from: 'user' })
    .opts<{ readonly rehearsals: boolean; readonly only?: string }>();
  return { rehearsals, only };
}
