import { NotifierError, SourceError } from '#shared/core/errors.ts';
import { MACHINE_STOPPED, type Target } from '../target.ts';

/** The result of one check. */
export interface Finding {
  /** What was checked, such as `source of main`. */
  readonly about: string;
  readonly outcome: 'ok' | 'warning' | 'wrong';
  readonly says: string;
  /** How to fix it; absent when there is nothing to fix. */
  readonly mend?: string;
  /** The error message of the source. May name people: shown on a terminal only. */
  readonly said?: string;
  /** Only a running machine could be checked; `mend` starts it. */
  readonly needsRun?: true;
}

export function ok(about: string, says: string): Finding {
  return { about, outcome: 'ok', says };
}

export function warning(about: string, says: string, mend: string): Finding {
  return { about, outcome: 'warning', says, mend };
}

export function wrong(about: string, says: string, mend: string): Finding {
  return { about, outcome: 'wrong', says, mend };
}

/** Whether a secret exists, without reading it. */
export async function lookForSecret(
  about: string,
  secretName: string,
  hasSecret: NonNullable<Target['hasSecret']>,
): Promise<Finding> {
  if (await hasSecret(secretName)) {
    return ok(about, `the secret ${secretName} exists; npm run notifier -- doctor checks what it holds`);
  }
  return wrong(about, `there is no secret ${secretName}`, 'create it');
}

/**
 * Runs a check. An error becomes a finding: what precedes the first semicolon of its message is the problem, the rest
 * the fix. `MACHINE_STOPPED` is only a warning. Throws where the table is of another format: no other check says more.
 */
export async function finding(about: string, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof NotifierError && error.code === 'store_format_unknown') throw error;
    return toFinding(about, error);
  }
}

function toFinding(about: string, error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  const [says = message, ...mend] = message.replaceAll(/\s+/g, ' ').split('; ');
  if (error instanceof NotifierError && error.code === MACHINE_STOPPED) {
    return { ...warning(about, says, mend.join('; ')), needsRun: true };
  }
  const fallback = error instanceof NotifierError ? 'see docs/runbook.md' : 'see the message';
  const said = error instanceof SourceError ? error.said : null;
  const found = wrong(about, says, mend.length === 0 ? fallback : mend.join('; '));
  return said === null ? found : { ...found, said };
}
