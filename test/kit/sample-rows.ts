import { SAMPLE_TIMESHEET, TIMESHEET_LIFE } from '#cli/sample-events/sample-lives.ts';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { LeafRow, Tombstone } from '#shared/core/snapshot/snapshot.ts';

/** The stored row of the sample timesheet after each of its events but the last, its removal; first, before any. */
export function rowsOfLife(): { readonly row: LeafRow; readonly tombstone: Tombstone }[] {
  const [created] = TIMESHEET_LIFE;
  const epoch = Date.parse(created?.at ?? '');
  const states: SourceRecord[] = [
    SAMPLE_TIMESHEET,
    ...TIMESHEET_LIFE.flatMap(({ found }) => (found === null ? [] : [found])),
  ];
  const { id } = SAMPLE_TIMESHEET;
  return states.map((found, sequence) => {
    return {
      row: { id, state: readRow(feedDefinition('timesheets'), found), sequence, sent: {}, epoch },
      tombstone: { id, sequence, epoch, removedAt: epoch },
    };
  });
}
