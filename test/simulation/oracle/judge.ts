import type { History } from '../history.ts';
import { judgeEnd, judgeFeeds } from './end.ts';
import { Evidence, type Violation } from './evidence.ts';
import { judgeLateness } from './lateness.ts';
import { judgeAccounts } from './period/judge-accounts.ts';
import { judgeProtocol, judgePublished } from './protocol.ts';
import { judgeStories } from './stories.ts';
import { judgeTroubles } from './troubles.ts';
import { judgeWatermarks } from './watermarks.ts';

/** Compares the events of a history with the truth: what is wrong with them. */
export function judge(history: History): {
  readonly violations: readonly Violation[];
  readonly types: readonly string[];
  /** Accounts of pay periods that were compared with the books. */
  readonly accounts: number;
} {
  const evidence = new Evidence(history);
  judgeProtocol(evidence);
  judgePublished(evidence);
  judgeStories(evidence);
  for (const text of history.journal.wrongRows) evidence.violate('look', text);
  judgeEnd(evidence);
  judgeFeeds(evidence);
  judgeTroubles(evidence);
  judgeLateness(evidence);
  judgeWatermarks(evidence);
  const accounts = judgeAccounts(evidence);
  return { violations: evidence.violations, types: evidence.told.map(({ type }) => type), accounts };
}
