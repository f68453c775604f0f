import type { AlertNews, ConsoleWords } from '../../core/definitions/event-definition.ts';
import type { ShortEventType, SnapshotType } from '../../core/event-types.ts';
import { sayNotApproved } from '../messages/account-sentences.ts';
import {
  type ClosingEvent,
  sayClosed,
  sayClosedHeading,
  sayRecounted,
  sayRecountedHeading,
  sayReopenedPeriod,
  saySettled,
  saySettledHeading,
} from '../messages/closing-sentences.ts';
import { countNotApproved, type DueEvent, sayDue, sayDueHeading } from '../messages/due-sentences.ts';
import { describeChanges } from '../messages/field-changes.ts';
import {
  createPeriodFieldWords,
  createPeriodMention,
  type PayPeriodEvent,
} from '../messages/pay-period-sentences.ts';
import type { Audience } from '../messages/record-events.ts';

type OfPayPeriod = Extract<ShortEventType, `pay_period.${string}`>;
/** Types about a pay period, or about what it comes to. */
export type PayPeriodType = Exclude<OfPayPeriod, SnapshotType>;

/** How alerts treat each type about a pay period. */
export const PAY_PERIOD_NEWS = {
  'pay_period.created': {
    countsRecords: true,
  },
  'pay_period.changed': {
    countsRecords: true,
  },
  'pay_period.due': {
    countsRecords: true,
    preset: 'approvals',
    isDue: true,
  },
  'pay_period.closed': {
    countsRecords: true,
    preset: 'closings',
    replacesDue: true,
  },
  'pay_period.recounted': {
    countsRecords: true,
    preset: 'closings',
  },
  'pay_period.reopened': {
    countsRecords: true,
    preset: 'closings',
    isUrgent: true,
  },
  'pay_period.settled': {
    countsRecords: true,
    preset: 'closings',
  },
  'pay_period.removed': {
    countsRecords: true,
  },
} as const satisfies Readonly<Record<PayPeriodType, AlertNews>>;

/** What the console calls each type about a pay period, and its mark. */
export const PAY_PERIOD_LOOKS: Readonly<Record<OfPayPeriod, ConsoleWords>> = {
  'pay_period.created': ['pay periods created', 'Created', 'plus', 'calm'],
  'pay_period.changed': ['pay periods changed', 'Changed', 'edit', 'calm'],
  'pay_period.due': ['reminders of pay periods', 'Due', 'sum', 'calm'],
  'pay_period.closed': ['pay periods closed', 'Closed', 'lock', 'done'],
  'pay_period.recounted': ['pay periods counted again', 'Counted again', 'sum', 'done'],
  'pay_period.reopened': ['pay periods reopened', 'Reopened', 'back', 'undone'],
  'pay_period.settled': ['pay periods settled', 'Settled', 'sum', 'done'],
  'pay_period.removed': ['pay periods removed', 'Removed', 'minus', 'undone'],
  'pay_period.snapshot': ['pay period snapshots', 'Snapshot', 'sum', 'calm'],
};

/** How a type about a pay period reads in an alert. */
export interface PayPeriodWords<Event> {
  /** The sentence without its full stop, and the same below a heading that names the period. */
  readonly says: (event: Event, audience: Audience) => Readonly<Record<'sentence' | 'facts', string>>;
  /** A shorter sentence; absent: the sentence itself. */
  readonly heading?: (event: Event, audience: Audience) => string;
  /** What is left to do, as the sentence says it. */
  readonly open?: (event: Event) => string[];
}

type EventOf<Type extends PayPeriodType> = Type extends `${string}.due`
  ? DueEvent
  : Type extends `${string}.${'created' | 'changed' | 'removed'}`
    ? PayPeriodEvent
    : ClosingEvent;

const listOpen = ({ data: { account } }: ClosingEvent) =>
  account === null || account.notReady.timesheets === 0 ? [] : [sayNotApproved(account)];

export const PAY_PERIOD_WORDS: { readonly [Type in PayPeriodType]: PayPeriodWords<EventOf<Type>> } = {
  'pay_period.created': {
    says: (event, audience) => {
      const { period } = createPeriodMention(event, audience);
      return sayOf(period, ' was added', 'added');
    },
    heading: (event, audience) => {
      const { period } = createPeriodMention(event, audience);
      return `Pay period ${period} was added`;
    },
  },
  'pay_period.changed': {
    says: (event, audience) => {
      const { data, period, late, timeContext } = createPeriodMention(event, audience);
      const changes = describeChanges(data, createPeriodFieldWords(timeContext));
      return sayOf(period, `: ${changes}${late}`, `${changes}${late}`);
    },
  },
  'pay_period.due': {
    says: sayDue,
    heading: sayDueHeading,
    open: (event) => (event.data.account.notReady.timesheets === 0 ? [] : [countNotApproved(event)]),
  },
  'pay_period.closed': { says: sayClosed, heading: sayClosedHeading, open: listOpen },
  'pay_period.recounted': { says: sayRecounted, heading: sayRecountedHeading, open: listOpen },
  'pay_period.reopened': {
    says: sayReopenedPeriod,
    heading: (event, audience) => {
      const { period } = createPeriodMention(event, audience);
      return `Hold the pay file of ${period}: it was reopened`;
    },
    open: listOpen,
  },
  'pay_period.settled': { says: saySettled, heading: saySettledHeading, open: listOpen },
  'pay_period.removed': {
    says: (event, audience) => {
      const { period, when, late } = createPeriodMention(event, audience);
      const removed = `removed ${when}${late}`;
      return sayOf(period, ` was ${removed}`, removed);
    },
    heading: (event, audience) => {
      const { period } = createPeriodMention(event, audience);
      return `Pay period ${period} was removed`;
    },
  },
};

/** As a whole sentence, and below a heading that names the period. */
function sayOf(period: string, is: string, facts: string) {
  return { sentence: `Pay period ${period}${is}`, facts };
}
