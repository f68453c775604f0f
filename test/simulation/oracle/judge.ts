import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { History } from '../history.ts';
import { judgeAbsences } from './absences.ts';
import { judgeWork } from './bounded-work.ts';
import { judgeBacklogs } from './drained.ts';
import { Evidence, type Violation } from './evidence.ts';
import { judgeFinalState } from './final-state.ts';
import { FirstLooks } from './first-looks.ts';
import { judgeFoldedStates } from './folded-states.ts';
import { judgeForm } from './form-news.ts';
import { judgeLiveness } from './liveness.ts';
import { judgeMassLosses } from './mass-loss-looks.ts';
import { readPublications } from './publications.ts';
import { judgePublishFailures } from './publish-failures.ts';
import { judgeReadiness } from './readiness-news.ts';
import { judgeEpochs } from './record-epochs.ts';
import { tellStory } from './record-story.ts';
import { judgeRenewedTroubles } from './renewed-troubles.ts';
import { judgeSeenStates } from './seen-states.ts';
import { judgeSentAgain } from './sent-again.ts';
import { judgeLateStart } from './started-late.ts';
import { judgeAccountsAlone, judgeStatements } from './statements.ts';
import { judgeTroubles } from './troubles.ts';
import { judgeWatermarks } from './watermarks.ts';

/**
 * Compares the published events of a history with the truth. The oracle shares no code with the engine. Returns the
 * violations, and the types of all published events.
 */
export function judge(history: History): {
  readonly violations: readonly Violation[];
  /** Violations of known gaps, which do not count. */
  readonly pending: readonly Violation[];
  readonly types: readonly string[];
  /** Accounts of pay periods that were compared with the world. */
  readonly accounts: number;
} {
  const evidence = new Evidence(history);
  readPublications(evidence);
  judgeSentAgain(evidence);
  if (history.settings.renewal !== null) return judgeRenewed(evidence);
  judgeTroubles(evidence);
  judgeForm(evidence);
  judgePublishFailures(evidence);
  const looks = new FirstLooks(evidence);
  judgeEpochs(evidence, looks);
  const stories = FEED_NAMES.flatMap((feed) =>
    [...history.world.truth[feed].keys()].map((id) => tellStory(evidence, looks, { feed, id })),
  );
  for (const feed of FEED_NAMES) {
    for (const id of evidence.told[feed].keys()) {
      if (!history.world.truth[feed].has(id)) evidence.violate(`${feed} ${id}`, 'nobody like that ever was');
    }
  }
  const isTold = evidence.violations.every(({ check }) => check !== 'protocol');
  if (isTold) {
    judgeReadiness(evidence);
    judgeMassLosses(evidence);
    judgeStatements(evidence);
    for (const story of stories) judgeFinalState(evidence, story);
    judgeSeenStates(evidence, stories);
    judgeFoldedStates(evidence, looks);
    judgeLateStart(evidence, looks);
    judgeLiveness(evidence, stories);
    judgeBacklogs(evidence);
    judgeWork(evidence);
    judgeAbsences(evidence, stories);
    judgeWatermarks(evidence);
  }
  const { violations, pending } = evidence;
  return { violations, pending, types: typesOf(evidence), accounts: evidence.judgedAccounts };
}

/**
 * After a restore or a new installation, events may repeat or be missing. Still no id is used twice, the events of each
 * record stay in order, and the folded states are true at the end.
 */
function judgeRenewed(evidence: Evidence): ReturnType<typeof judge> {
  if (evidence.violations.length === 0) judgeFoldedStates(evidence, new FirstLooks(evidence));
  judgeRenewedTroubles(evidence);
  judgeAccountsAlone(evidence);
  const { violations, pending } = evidence;
  return { violations, pending, types: typesOf(evidence), accounts: evidence.judgedAccounts };
}

function typesOf({ told, absences, statements, operations }: Evidence): string[] {
  const beside = [...absences.values(), ...statements.values()].flat().map(({ type }) => type);
  const others = FEED_NAMES.flatMap((feed) => [
    ...[...told[feed].values()].flat().map(({ type }) => type),
    ...operations[feed].map(({ type }) => type),
  ]);
  return [...beside, ...others];
}
