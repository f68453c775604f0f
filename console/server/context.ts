import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { Finding } from '#shared/operator/doctor/finding.ts';
import { openEventLog } from '#shared/operator/log-query.ts';
import { openStore } from '#shared/operator/open-store.ts';
import type { Target } from '#shared/operator/target.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { createKnowledge, type Knowledge } from './knowledge.ts';
import { rememberBuckets } from './remember.ts';

/** What the console reads from. */
export interface ConsoleContext {
  readonly target: Target;
  readonly log: EventLog;
  readonly store: Store;
  /** Names, calendars and what polls stored, read again when they are older than some seconds. */
  readonly knowledge: Knowledge;
  /** Whether events may be sent again from here. */
  readonly allowsWrites: boolean;
  /** Real milliseconds between two reads of the log; default: seldom enough for its bill. */
  readonly readEveryMs?: number;
  /** Instead of the checks of the command `doctor`. */
  readonly examine?: (target: Target) => Promise<readonly Finding[]>;
}

export interface ContextOptions {
  /** Sends events again also in AWS. */
  readonly allowWrites?: boolean;
  /** Instead of the log in the table. */
  readonly log?: EventLog;
}

export function createConsoleContext(target: Target, options: ContextOptions = {}): ConsoleContext {
  const store = rememberBuckets(openStore(target));
  const names = createNameReader(store);
  return {
    target,
    log: options.log ?? openEventLog(target),
    store,
    knowledge: createKnowledge({ target, store, names }),
    allowsWrites: options.allowWrites === true || (target.redirects && target.isStopped !== true),
  };
}

/** Throws a `NotifierError` (`connection_unknown`). */
export function findConnection({ target }: Pick<ConsoleContext, 'target'>, name: string): Connection {
  const found = target.connections.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new NotifierError('connection_unknown', `there is no connection ${JSON.stringify(name)}`);
}
