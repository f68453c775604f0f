/** Who can act on what a message says, and how. */
interface Action {
  readonly message: string;
  readonly who: string;
  readonly how: string;
}

const MANAGER = 'manager of the department';
const PAYROLL = 'payroll';
const NOBODY = 'nobody';
/** Of whatever event ends a missing clocking. */
export const CLOCKING_ENDED = 'clocking.ended';

/** By the short types of the events behind a message. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map([
  action('pay_period.due', {
    message: 'closes at ..., so many are not approved',
    who: MANAGER,
    how: 'approve the timesheets named, or ask those people; payroll calls whoever has not by the last reminder',
  }),
  action('pay_period.closed', {
    message: 'closed, and what is left',
    who: PAYROLL,
    how: 'settle what is left, or leave it to the next period; hold the hours against the pay file',
  }),
  action('pay_period.recounted', {
    message: 'counted again',
    who: PAYROLL,
    how: 'go by these figures instead of those of the closing',
  }),
  action('pay_period.reopened', {
    message: 'was reopened',
    who: PAYROLL,
    how: 'hold the pay file until it is closed again',
  }),
  action('pay_period.settled', {
    message: 'is settled',
    who: PAYROLL,
    how: 'hold the hours against those paid, and pay or recover the difference since it closed',
  }),
  action('timesheet.processing_reverted', {
    message: 'is no longer processed',
    who: PAYROLL,
    how: 'leave it out of the pay file until it is processed again, which is told',
  }),
  action('timesheet.processed', {
    message: 'was processed again',
    who: PAYROLL,
    how: 'put it back into the pay file with the hours that it says',
  }),
  action('timesheet.changed', {
    message: 'hours or times changed after processing or closing',
    who: PAYROLL,
    how: 'pay or recover the difference in the next run; the message says by how much the period differs',
  }),
  action('timesheet.created', {
    message: 'was added after closing',
    who: PAYROLL,
    how: 'pay it in the next run, once it is approved',
  }),
  action('timesheet.removed', {
    message: 'was removed after processing or closing',
    who: PAYROLL,
    how: 'recover what was paid for it',
  }),
  action('timesheet.approved', {
    message: 'was approved after closing',
    who: PAYROLL,
    how: 'approve it for payroll, and pay it with the rest or in the next run',
  }),
  action('timesheet.approval_revoked', {
    message: 'is no longer approved, after processing or closing',
    who: PAYROLL,
    how: 'ask the manager why, and hold the payment',
  }),
  action('timesheet.payroll_approved', {
    message: 'was approved for payroll after closing',
    who: PAYROLL,
    how: 'process it; nothing when a colleague does',
  }),
  action('timesheet.payroll_approval_revoked', {
    message: 'is no longer approved for payroll, after processing or closing',
    who: PAYROLL,
    how: 'hold the payment',
  }),
  ...['clocked_in', 'clocked_out', 'clock_in_corrected', 'clock_out_corrected'].map((type) =>
    action(`timesheet.${type}`, {
      message: 'a clocking was entered or corrected after processing or closing',
      who: PAYROLL,
      how: 'compare it with the hours paid; a change of hours is told by itself',
    }),
  ),
  ...['clock_in_removed', 'clock_out_removed'].map((type) =>
    action(`timesheet.${type}`, {
      message: 'a clocking was removed after processing or closing',
      who: PAYROLL,
      how: 'ask the manager for what the hours paid stand on',
    }),
  ),
  action('timesheet.clock_in_missing', {
    message: 'no clock-in',
    who: MANAGER,
    how: 'call the employee, find somebody else for the shift, or enter the clock-in',
  }),
  action('timesheet.clock_out_missing', {
    message: 'no clock-out',
    who: MANAGER,
    how: 'ask when the employee left, and enter the clock-out',
  }),
  action(CLOCKING_ENDED, {
    message: 'the clocking came, or nobody waits for it any more',
    who: NOBODY,
    how: 'it ends what was told before',
  }),
  action('trouble.began', {
    message: 'we cannot see ...',
    who: PAYROLL,
    how: 'rely on no figure of today, and send no pay file by it, until the message that it is seen again',
  }),
  action('trouble.ended', {
    message: 'we see ... again',
    who: NOBODY,
    how: 'what changed meanwhile is told after it',
  }),
]);

/** `Payroll: hold the pay file until it is closed again.`, for each type; those for nobody only when alone. */
export function describeActions(types: readonly string[]): string {
  const actions = types.map(findAction);
  const needed = actions.filter(({ who }) => who !== NOBODY);
  const sentences = (needed.length === 0 ? actions : needed).map(
    ({ who, how }) => `${capitalize(who)}: ${how}.`,
  );
  return [...new Set(sentences)].join(' ');
}

function findAction(type: string): Action {
  const found = ACTIONS.get(type);
  if (found === undefined) {
    throw new Error(`nobody is said to act on ${type}; add it to test/fortnight/page/actions.ts`);
  }
  return found;
}

function action(type: string, what: Action): readonly [string, Action] {
  return [type, what];
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
