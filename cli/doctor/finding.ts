import { NotifierError, SourceError } from '#shared/core/errors.ts';
import { MACHINE_STOPPED } from '../targets/target.ts';

/** What one check found. */
export interface Finding {
  /** What was looked at, such as `source of main`. */
  readonly about: string;
  readonly outcome: 'ok' | 'warning' | 'wrong';
  readonly says: string;
  /** What to do; absent when there is nothing to do. */
  readonly mend?: string;
  /** What the source said about it; it may name people, and is shown on a terminal alone. */
  readonly said?: string;
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

/**
 * What a check finds; an error is a finding too, whose message says how to mend it after a semicolon. What only a
 * machine that runs could tell is not wrong because none does.
 */
export async function finding(about: string, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [says = message, ...mend] = message.replaceAll(/\s+/g, ' ').split('; ');
    if (error instanceof NotifierError && error.code === MACHINE_STOPPED) {
      return warning(about, `not looked at: ${says}`, mend.join('; '));
    }
    const fallback = error instanceof NotifierError ? 'see docs/runbook.md' : 'see the message';
    const said = error instanceof SourceError ? error.said : null;
    const found = wrong(about, says, mend.length === 0 ? fallback : mend.join('; '));
    return said === null ? found : { ...found, said };
  }
}
