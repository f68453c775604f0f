import type { Language } from '../../languages/language.ts';
import { type Filled, say, type Text } from '../../languages/text.ts';
import {
  countUnapproved,
  type ReadinessEvent,
  sayReadiness,
  sayReadinessHeading,
} from '../../readiness/readiness-sentences.ts';
import {
  buildStatementHeading,
  describeStatement,
  type StatementEvent,
} from '../../statements/statement-sentences.ts';
import type { ShortEventType, SnapshotType } from '../event-types.ts';
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
import type { Audience } from '../messages/record-events.ts';
import type { AlertNews, ConsoleWords } from './event-definition.ts';

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
  readonly open?: (event: Event, language: Language) => string[];
}

type EventOf<Type extends PayPeriodType> = Type extends `${string}.readiness`
  ? ReadinessEvent
  : Type extends `${string}.statement`
    ? StatementEvent
    : PayPeriodEvent;

export const PAY_PERIOD_WORDS: { readonly [Type in PayPeriodType]: PayPeriodWords<EventOf<Type>> } = {
  'pay_period.created': {
    says: (event, audience) => {
      const { period, language } = createPeriodMention(event, audience);
      return fill(language.payPeriods.says['pay_period.created'], { period });
    },
    heading: (event, audience) => {
      const { period, language } = createPeriodMention(event, audience);
      return say(language.payPeriods.says['pay_period.created'].heading, { period });
    },
  },
  'pay_period.changed': {
    says: (event, audience) => {
      const { data, period, late, timeContext, language } = createPeriodMention(event, audience);
      const changes = describeChanges(data, createPeriodFieldWords(timeContext));
      return fill(language.payPeriods.says['pay_period.changed'], { period, changes, late });
    },
  },
  'pay_period.closed': {
    says: (event, audience) => {
      const { data, period, timeContext, language } = createPeriodMention(event, audience);
      const totals = describeTotals(data.closeManifest, { ...audience, timeContext, time: event.time });
      const values = { period, ...describeClosing(data, timeContext), totals };
      return fill(language.payPeriods.says['pay_period.closed'], values);
    },
    heading: buildClosingHeading,
    open: ({ data }, language) =>
      data.closeManifest === undefined ? [] : listLeftovers(data.closeManifest, language),
  },
  'pay_period.reopened': {
    says: (event, audience) => {
      const { data, period, when, timeContext, language } = createPeriodMention(event, audience);
      const former = describeFormerClosing(data.previous, timeContext);
      return fill(language.payPeriods.says['pay_period.reopened'], { period, when, former });
    },
    heading: (event, audience) => {
      const { period, language } = createPeriodMention(event, audience);
      return say(language.payPeriods.says['pay_period.reopened'].heading, { period });
    },
  },
  'pay_period.removed': {
    says: (event, audience) => {
      const { period, when, late, language } = createPeriodMention(event, audience);
      return fill(language.payPeriods.says['pay_period.removed'], { period, when, late });
    },
    heading: (event, audience) => {
      const { period, language } = createPeriodMention(event, audience);
      return say(language.payPeriods.says['pay_period.removed'].heading, { period });
    },
  },
  'pay_period.readiness': {
    says: sayReadiness,
    heading: sayReadinessHeading,
    open: ({ data: { readiness } }, language) =>
      readiness.unapproved === 0 ? [] : [countUnapproved(readiness, language)],
  },
  'pay_period.statement': {
    says: describeStatement,
    heading: buildStatementHeading,
    open: ({ data }, language) => listLeftovers(data.statement, language),
  },
};

function fill<Place extends string, Of extends Place>(
  { sentence, facts }: { readonly sentence: Text<Place>; readonly facts: Text<Of> },
  values: Filled<Place>,
) {
  return { sentence: say(sentence, values), facts: say<Of>(facts, values) };
}
