import { NotifierError } from '#shared/core/errors.ts';
import type { ConsoleContext } from './context.ts';

type Place = Pick<ConsoleContext, 'target'>;

/** Whether the engines of a run are gone, with which its data folder was read. */
export function hasRunEnded(error: unknown, { target }: Place): boolean {
  const isUnreachable = error instanceof NotifierError && error.code === 'store_unreachable';
  return isUnreachable && target.redirects && target.isStopped !== true;
}

/** Why something cannot be shown, as a sentence without names of tables. */
export function sayTrouble(error: unknown, context: Place): string {
  const { title } = context.target;
  if (hasRunEnded(error, context))
    return `The run on ${title} has ended. Load this page again to see what it stored.`;
  if (error instanceof NotifierError && error.code.startsWith('store_'))
    return `What ${title} stored cannot be read now.`;
  const message = error instanceof Error ? error.message : String(error);
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
