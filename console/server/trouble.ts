import { NotifierError } from '#shared/core/errors.ts';
import { capitalize } from '#shared/people/messages/wording.ts';
import type { ConsoleContext } from './context.ts';

/** Whether the engines of a run are gone, with which its data folder was read. */
export function hasRunEnded(error: unknown, { target }: Pick<ConsoleContext, 'target'>): boolean {
  const isUnreachable = error instanceof NotifierError && error.code === 'store_unreachable';
  return isUnreachable && target.redirects && target.isStopped !== true;
}

/** Why something cannot be shown, as a sentence without names of tables. */
export function sayTrouble(error: unknown): string {
  if (error instanceof NotifierError && error.code.startsWith('store_'))
    return 'What is stored cannot be read now.';
  return `${capitalize(error instanceof Error ? error.message : String(error))}.`;
}
