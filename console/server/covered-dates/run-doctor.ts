import type { DoctorAnswer } from '#console/routes/coverage.ts';
import { runChecks } from '#shared/operator/doctor/run-checks.ts';
import type { ConsoleContext } from '../context.ts';

/** The checks ask the source: not for every page that looks. */
const MAX_AGE_MS = 60_000;

export interface Doctor {
  /** The findings of the last minute, or new ones. */
  run(again: boolean): Promise<DoctorAnswer>;
}

export function createDoctor(context: ConsoleContext): Doctor {
  let last: { readonly at: number; readonly answer: Promise<DoctorAnswer> } | null = null;
  return {
    run: (again) => {
      if (last !== null && !again && performance.now() - last.at < MAX_AGE_MS) return last.answer;
      const answer = examine(context);
      last = { at: performance.now(), answer };
      answer.catch(() => {
        last = null;
      });
      return answer;
    },
  };
}

/** Without what the source said, which may name people. */
async function examine({ target, examine: check = runChecks }: ConsoleContext): Promise<DoctorAnswer> {
  // A page shows no more than that secrets exist, so whoever opens one needs no right to read them.
  const findings = await check({ ...target, onlyLooks: true });
  return {
    findings: findings.map(({ about, outcome, says, mend }) => ({
      about,
      outcome,
      says,
      mend: mend ?? null,
    })),
    checkedAt: new Date(target.system.now()).toISOString(),
  };
}
