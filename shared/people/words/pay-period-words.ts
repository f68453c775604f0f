import type { AlertNews, ConsoleWords } from '../../core/definitions/event-definition.ts';
import type { ShortEventType, SnapshotType } from '../../core/event-types.ts';
import { listLeftovers } from '../messages/closing-numbers.ts';
import { describeChanges } from '../messages/field-changes.ts';
import {
  buildClosingHeading,
  createPeriodFieldWords,
  createPeriodMention,
  describeClosing,
  describeFormerClosing,
  describeTotals,
  type PayPeriodEvent,
} from '../messages/pay-period-sentences.ts';
import {
  countUnapproved,
  type ReadinessEvent,
  sayReadiness,
  sayReadinessHeading,
} from '../messages/readiness-sentences.ts';
import type { Audience } from '../messages/record-events.ts';
import {
  buildStatementHeading,
  describeStatement,
  type StatementEvent,
} from '../messages/statement-sentences.ts';

type OfPayPeriod = Extract<ShortEventType, `pay_period.${string}`>;
/** Types about a change of a pay period, or about how far it is. */
export type PayPeriodType = Exclude<OfPayPeriod, SnapshotType>;

/** How alerts treat each type about a pay period. */
export const PAY_PERIOD_NEWS = {
  'pay_period.created': {
    countsRecords: true,
  },
  'pay_period.changed': {
    countsRecords: true,
  },
  'pay_period.closed': {
    countsRecords: true,
    preset: 'closings',
    replacesReadiness: true,
  },
  'pay_period.reopened': {
    countsRecords: true,
    preset: 'closings',
    isUrgent: true,
  },
  'pay_period.removed': {
    countsRecords: true,
  },
  'pay_period.readiness': {
    countsRecords: true,
    preset: 'approvals',
    isReadiness: true,
  },
  'pay_period.statement': {
    countsRecords: true,
    preset: 'closings',
  },
} as const satisfies Readonly<Record<PayPeriodType, AlertNews>>;

/** What the console calls each type about a pay period, and its mark. */
export const PAY_PERIOD_LOOKS: Readonly<Record<OfPayPeriod, ConsoleWords>> = {
  'pay_period.created': ['pay periods created', 'Created', 'plus', 'calm'],
  'pay_period.changed': ['pay periods changed', 'Changed', 'edit', 'calm'],
  'pay_period.closed': ['pay periods closed', 'Closed', 'lock', 'done'],
  'pay_period.reopened': ['pay periods reopened', 'Reopened', 'back', 'undone'],
  'pay_period.removed': ['pay periods removed', 'Removed', 'minus', 'undone'],
  'pay_period.readiness': ['readiness reports', 'Readiness', 'sum', 'calm'],
  'pay_period.statement': ['statements', 'Statement', 'sum', 'done'],
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

type EventOf<Type extends PayPeriodType> = Type extends `${string}.readiness`
  ? ReadinessEvent
  : Type extends `${string}.statement`
    ? StatementEvent
    : PayPeriodEvent;

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
  'pay_period.closed': {
    says: (event, audience) => {
      const { data, period, timeContext } = createPeriodMention(event, audience);
      const totals = describeTotals(data.closeManifest, { ...audience, timeContext, time: event.time });
      const { again, before, on } = describeClosing(data, timeContext);
      const closed = `closed${again}${before}${on}${totals}`;
      return sayOf(period, ` ${closed}`, closed);
    },
    heading: buildClosingHeading,
    open: ({ data }) => (data.closeManifest === undefined ? [] : listLeftovers(data.closeManifest)),
  },
  'pay_period.reopened': {
    says: (event, audience) => {
      const { data, period, when, timeContext } = createPeriodMention(event, audience);
      const former = describeFormerClosing(data.previous, timeContext);
      const reopened = `reopened ${when}${former}`;
      return sayOf(period, ` was ${reopened}`, reopened);
    },
    heading: (event, audience) => {
      const { period } = createPeriodMention(event, audience);
      return `Hold the pay file of ${period}: it was reopened`;
    },
  },
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
  'pay_period.readiness': {
    says: sayReadiness,
    heading: sayReadinessHeading,
    open: ({ data: { readiness } }) => (readiness.unapproved === 0 ? [] : [countUnapproved(readiness)]),
  },
  'pay_period.statement': {
    says: describeStatement,
    heading: buildStatementHeading,
    open: ({ data }) => listLeftovers(data.statement),
  },
};

/** As a whole sentence, and below a heading that names the period. */
function sayOf(period: string, is: string, facts: string) {
  return { sentence: `Pay period ${period}${is}`, facts };
}
