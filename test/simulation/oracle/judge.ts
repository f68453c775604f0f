import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { History } from '../history.ts';
import { judgeWork } from './bounded-work.ts';
import { judgeBacklogs } from './drained.ts';
import { Evidence, type Violation } from './evidence.ts';
import { judgeFinalState } from './final-state.ts';
import { FirstLooks } from './first-looks.ts';
import { judgeFoldedStates } from './folded-states.ts';
import { judgeForm } from './form-news.ts';
import { judgeLiveness } from './liveness.ts';
import { judgeOperations } from './operations.ts';
import { readPublications } from './publications.ts';
import { judgePublishFailures } from './publish-failures.ts';
import { judgeEpochs } from './record-epochs.ts';
import { tellStory } from './record-story.ts';
import { judgeRenewedOperations } from './renewed-operations.ts';
import { judgeSeenStates } from './seen-states.ts';

/**
 * Holds what came out of a history against what was true, from outside: it reads the design on its own and shares no
 * code with the engine. Answers with what is wrong, and with the types of events that were told.
 */
export function judge(history: History): {
  readonly violations: readonly Violation[];
  /** What does not count yet. */
  readonly pending: readonly Violation[];
  readonly types: readonly string[];
} {
  const evidence = new Evidence(history);
  readPublications(evidence);
  if (history.settings.renewal !== null || history.breadth.rolledBackAt !== null)
    return judgeRenewed(evidence);
  judgeOperations(evidence);
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
    for (const story of stories) judgeFinalState(evidence, story);
    judgeSeenStates(evidence, stories);
    judgeFoldedStates(evidence, looks);
    judgeLiveness(evidence, stories);
    judgeBacklogs(evidence);
    judgeWork(evidence);
  }
  const { violations, pending } = evidence;
  return { violations, pending, types: typesOf(evidence) };
}

/**
 * After a restore, or with a new installation, what was told before is told again, or never was: what stays true is
 * that no id is used twice, that each record's events grow in their order, and what who folds them has in the end.
 */
function judgeRenewed(evidence: Evidence): ReturnType<typeof judge> {
  if (evidence.violations.length === 0) judgeFoldedStates(evidence, new FirstLooks(evidence));
  judgeRenewedOperations(evidence);
  const { violations, pending } = evidence;
  return { violations, pending, types: typesOf(evidence) };
}

function typesOf({ told, operations }: Evidence): string[] {
  return FEED_NAMES.flatMap((feed) => [
    ...[...told[feed].values()].flat().map(({ type }) => type),
    ...operations[feed].map(({ type }) => type),
  ]);
}
