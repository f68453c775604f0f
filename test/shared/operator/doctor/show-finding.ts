import type { Finding } from '#shared/operator/doctor/finding.ts';

/** A finding on one line. */
export function showFinding({ outcome, about, says, mend }: Finding): string {
  return `${outcome} ${about}: ${says}${mend === undefined ? '' : `; ${mend}`}`;
}
