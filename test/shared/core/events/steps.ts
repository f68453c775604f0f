import { findTransitions, type Transition } from '#shared/core/events/transitions.ts';
import { feedDefinition, parseRow, toState } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord, State } from '#shared/core/records/fields.ts';
import { textOf } from '#test/support/builders.ts';

/** The steps between two records as the source sends them. */
export function between(before: SourceRecord | null, after: SourceRecord | null): Transition[] {
  const some = after ?? before;
  if (some === null) return [];
  const stateOrNull = (record: SourceRecord | null) => (record === null ? null : stateFrom(record));
  return findTransitions(definitionOf(some), stateOrNull(before), stateOrNull(after));
}

export function stateFrom(record: SourceRecord): State {
  return toState(definitionOf(record), parseRow(textOf(record)));
}

function definitionOf(record: SourceRecord) {
  return feedDefinition('date' in record ? 'timesheets' : 'pay-periods');
}
