import { countText, numberText } from '../messages/numbers.ts';
import { ALERT_TYPES, type Alert, type AlertType } from './alert.ts';

/** Kinds of thing that a title counts one by one. */
const MOST_PARTS = 4;

/** What is counted of a type, and in which words. */
interface Counting {
  /** Distinct records, or simply alerts. */
  readonly of: 'records' | 'alerts';
  readonly one: string;
  readonly many: string;
}

const COUNTINGS: Readonly<Record<AlertType, Counting>> = {
  'workforce.timesheet.created': records('timesheet', 'added'),
  'workforce.timesheet.changed': records('timesheet', 'changed'),
  'workforce.timesheet.approved': records('timesheet', 'approved'),
  'workforce.timesheet.approval_revoked': alerts('approval', 'revoked'),
  'workforce.timesheet.payroll_approved': records('timesheet', 'approved for payroll'),
  'workforce.timesheet.payroll_approval_revoked': alerts('payroll approval', 'revoked'),
  'workforce.timesheet.processed': records('timesheet', 'processed'),
  'workforce.timesheet.processing_reverted': records('timesheet', 'no longer processed'),
  'workforce.timesheet.removed': records('timesheet', 'removed'),
  'workforce.timesheet.clocked_in': alerts('clock-in', ''),
  'workforce.timesheet.clock_in_corrected': alerts('clock-in', 'corrected'),
  'workforce.timesheet.clock_in_removed': alerts('clock-in', 'removed'),
  'workforce.timesheet.clocked_out': alerts('clock-out', ''),
  'workforce.timesheet.clock_out_corrected': alerts('clock-out', 'corrected'),
  'workforce.timesheet.clock_out_removed': alerts('clock-out', 'removed'),
  'workforce.pay_period.created': records('pay period', 'added'),
  'workforce.pay_period.changed': records('pay period', 'changed'),
  'workforce.pay_period.closed': records('pay period', 'closed'),
  'workforce.pay_period.reopened': records('pay period', 'reopened'),
  'workforce.pay_period.removed': records('pay period', 'removed'),
  'workforce.baseline.completed': alerts('list', 'watched from now on'),
  'workforce.source.unreachable': alerts('list', 'not readable'),
  'workforce.source.recovered': alerts('list', 'readable again'),
  'workforce.record.quarantined': alerts('record', 'left out'),
  'workforce.slice.shrunk': alerts('sudden disappearance', 'of records', 'sudden disappearances'),
  'workforce.poll.stalled': alerts('list', 'not seen completely'),
  'workforce.slice.unreadable': alerts('date', 'not readable'),
  'workforce.slice.readable': alerts('date', 'readable again'),
  'workforce.feed.lagging': alerts('list', 'read late'),
  'workforce.feed.caught_up': alerts('list', 'read in time again'),
  'workforce.slice.mass_change': alerts('mass change', ''),
  'workforce.source.form_changed': alerts('list', 'in another form'),
  'workforce.source.form_restored': alerts('list', 'in a readable form again'),
  'workforce.publish.failed': alerts('failure', 'to publish', 'failures'),
  'workforce.delivery.failed': alerts('event', 'not delivered to a webhook'),
  'workforce.webhook.disabled': alerts('webhook', 'disabled'),
  'workforce.processing.finished': records('pay period', 'processed completely'),
};

/** What a digest is about, in numbers: `57 timesheets approved in 4 departments`, `2 timesheets changed, 1 pay period closed`. */
export function digestTitle(told: readonly Alert[]): string {
  const groups = [...Map.groupBy(told, ({ type }) => type)].sort(byWeight);
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return `${partOf(only)}${departmentsOf(only[1])}`;
  const rest = groups.slice(MOST_PARTS).reduce((sum, [, { length }]) => sum + length, 0);
  const parts = groups.slice(0, MOST_PARTS).map(partOf);
  return [...parts, ...(rest === 0 ? [] : [`${numberText(rest)} more`])].join(', ');
}

type Group = readonly [AlertType, readonly Alert[]];

function partOf([type, group]: Group): string {
  const counting = COUNTINGS[type];
  return countText(countOf(counting, group), counting.one, counting.many);
}

/** A record to which the same happened twice is one record. */
function countOf(counting: Counting, group: readonly Alert[]): number {
  switch (counting.of) {
    case 'records':
      return new Set(group.map(({ id, connection, subject }) => JSON.stringify([connection, subject ?? id])))
        .size;
    case 'alerts':
      return group.length;
  }
}

/** Said only when every alert has a department. */
function departmentsOf(group: readonly Alert[]): string {
  if (group.some(({ department }) => department === null)) return '';
  const count = new Set(group.map(({ connection, department }) => JSON.stringify([connection, department])))
    .size;
  return ` in ${countText(count, 'department')}`;
}

/** What is urgent first, then what there is most of, then in the order of the catalogue. */
function byWeight([leftType, left]: Group, [rightType, right]: Group): number {
  const urgent = (group: readonly Alert[]) => Number(group.some((alert) => alert.urgent));
  return (
    urgent(right) - urgent(left) ||
    right.length - left.length ||
    ALERT_TYPES.indexOf(leftType) - ALERT_TYPES.indexOf(rightType)
  );
}

function records(noun: string, what: string): Counting {
  return counting('records', [noun, `${noun}s`], what);
}

function alerts(noun: string, what: string, nouns = `${noun}s`): Counting {
  return counting('alerts', [noun, nouns], what);
}

function counting(of: Counting['of'], [one, many]: readonly [string, string], what: string): Counting {
  return { of, one: `${one} ${what}`.trim(), many: `${many} ${what}`.trim() };
}
