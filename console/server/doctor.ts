import type { DoctorAnswer } from '#console/answers/doctor.ts';
import { runChecks } from '#shared/operator/doctor/run-checks.ts';
import type { ConsoleContext } from './context.ts';
import { rememberFor } from './remember.ts';

/** The checks ask the source: not for every page that looks. */
const MAX_AGE_MS = 60_000;

/** The findings of the last minute; `again` asks for new ones. */
export function createDoctor(context: ConsoleContext): (again: boolean) => Promise<DoctorAnswer> {
  return rememberFor(MAX_AGE_MS, () => examine(context));
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
