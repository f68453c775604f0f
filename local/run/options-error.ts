import { NotifierError } from '#shared/core/errors.ts';

/** An error of the command line, in one line that says how to fix it. */
export function createOptionsError(message: string, cause?: unknown): NotifierError {
  return new NotifierError('options_wrong', message, { cause });
}
