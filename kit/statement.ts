import { computeStatementDigest, type StatementMember } from '../shared/statements/statement-digest.ts';
import type { Folded } from './fold.ts';
import type { TimesheetEvent } from './workforce-event.ts';

/**
 * The digest of the timesheets of a pay period, from their folded states by timesheet id. Equal to `closeManifest.digest`
 * if you have every one of them, and none in another state; removed ones are left out.
 */
export function statementDigest(
  timesheets: Iterable<readonly [id: string, state: Folded<TimesheetEvent>]>,
): string {
  return computeStatementDigest([...timesheets].flatMap(([id, state]) => toMember(id, state)));
}

function toMember(id: string, { current, epoch, sequence }: Folded<TimesheetEvent>): StatementMember[] {
  return current === null ? [] : [{ id, epoch, sequence, hoursToPay: current.hoursToPay }];
}
