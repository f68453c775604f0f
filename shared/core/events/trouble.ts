import { toIso } from '../dates.ts';
import type { Operation } from '../records/operation.ts';
import type { TroubleKind } from '../trouble-kinds.ts';

/** What somebody can do, by kind. */
const ACTIONS: Readonly<Record<TroubleKind, string>> = {
  source_unreachable: 'Run npm run notifier -- doctor, which finds the cause.',
  dates_unreadable: 'Ask whoever runs the source why it cannot list these dates.',
  records_unreadable: 'Correct the record in the source.',
  dates_doubtful: 'Ask whoever works in the source whether that was meant.',
  feed_late: 'Let the source be asked more often, or watch fewer dates.',
  publish_failed: 'Look these records up in the source: nobody was told of them.',
  delivery_failed: 'Mend the receiver, and send it again what is in its dead-letter queue.',
  webhook_disabled: 'Enable it, or give it another address, once its receiver wants events again.',
};

/** Texts that one event names. */
export const MAX_ABOUT = 50;

/** Something that goes wrong, and has not ended. */
export interface Trouble {
  readonly kind: TroubleKind;
  /** The date, record, event, webhook or feed that it concerns: one trouble of a kind at a time has it. */
  readonly subject: string;
  /** What an event names of it. */
  readonly about: readonly string[];
  /** How many records, dates or events it concerns. */
  readonly count: number;
  /** In milliseconds since 1970. */
  readonly since: number;
  /** Why, as a code. */
  readonly cause: string;
}

/** What is published when it begins. */
export function tellBegan({ count, cause, ...trouble }: Trouble): Operation {
  const { subject, kind } = trouble;
  const data = { ...describe(trouble), count, cause, action: ACTIONS[kind] };
  return { type: 'trouble.began', subject, data };
}

/** What is published when it ends. */
export function tellEnded(trouble: Omit<Trouble, 'count' | 'cause'>): Operation {
  return { type: 'trouble.ended', subject: trouble.subject, data: describe(trouble) };
}

function describe({ kind, about, since }: Pick<Trouble, 'kind' | 'about' | 'since'>) {
  return { kind, about: about.slice(0, MAX_ABOUT), since: toIso(since) };
}
