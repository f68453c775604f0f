import type { History } from '../history.ts';
import { judgeAccounts } from './accounts.ts';
import { judgeEnd } from './end.ts';
import { Evidence, type Violation } from './evidence.ts';
import { judgeProtocol, judgePublished, judgeTroubles } from './protocol.ts';
import { judgeStories } from './stories.ts';
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
  judgeEnd(evidence);
  judgeTroubles(evidence);
  judgeWatermarks(evidence);
  const accounts = judgeAccounts(evidence);
  return { violations: evidence.violations, types: evidence.told.map(({ type }) => type), accounts };
}
