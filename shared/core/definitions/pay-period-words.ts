import {
  buildReadinessHeading,
  type ReadinessEvent,
  toReadinessSentence,
} from '../../readiness/readiness-sentences.ts';
import {
  buildOutstandingHeading,
  type OutstandingEvent,
  toOutstandingSentence,
} from '../../statements/outstanding-news.ts';
import {
  buildStatementHeading,
  type StatementEvent,
  toStatementSentence,
} from '../../statements/statement-sentences.ts';
import type { ShortEventType, SnapshotType } from '../event-types.ts';
import { describeChanges } from '../messages/field-changes.ts';
import { formatNumber } from '../messages/numbers.ts';
import {
  buildClosingHeading,
  describeClosing,
  describeFormerClosing,
  describePeriodOf,
  describeTotals,
  findFieldWords,
  type PayPeriodEvent,
  toPayPeriodSentence,
} from '../messages/pay-period-sentences.ts';
import { type Audience, toTimeContext } from '../messages/record-events.ts';
import type { AlertNews, ConsoleWords } from './event-definition.ts';

type OfPayPeriod = Extract<ShortEventType, `pay_period.${string}`>;
/** Types about a change of a pay period, or about how far it is. */
export type PayPeriodType = Exclude<OfPayPeriod, SnapshotType>;

/** How alerts treat each type about a pay period. */
export const PAY_PERIOD_NEWS = {
  'pay_period.created': {
    counted: ['pay period', 'added'],
    countsRecords: true,
    plain: 'A pay period was added',
  },
  'pay_period.changed': {
    counted: ['pay period', 'changed'],
    countsRecords: true,
    plain: 'A pay period was changed',
  },
  'pay_period.closed': {
    counted: ['pay period', 'closed'],
    countsRecords: true,
    plain: 'A pay period closed',
    byDefault: 'always',
    movesProcessing: true,
    answers: 'pay_period.reopened',
    replacesReadiness: true,
  },
  'pay_period.reopened': {
    counted: ['pay period', 'reopened'],
    countsRecords: true,
    plain: 'A pay period was reopened',
    byDefault: 'urgent',
  },
  'pay_period.removed': {
    counted: ['pay period', 'removed'],
    countsRecords: true,
    plain: 'A pay period was removed',
  },
  'pay_period.readiness': {
    counted: ['pay period', 'with timesheets to approve'],
    countsRecords: true,
    plain: 'A pay period has timesheets to approve',
    byDefault: 'always',
    isReadiness: true,
  },
  'pay_period.statement': {
    counted: ['pay period', 'settled'],
    countsRecords: true,
    plain: 'A pay period has a new statement',
    byDefault: 'always',
  },
  'pay_period.outstanding': {
    counted: ['pay period', 'with changes to pay since it closed'],
    countsRecords: true,
    plain: 'A closed pay period has changes to pay',
    isReadiness: true,
    hasNoThread: true,
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
  'pay_period.outstanding': ['lists of what is open', 'Still open', 'sum', 'calm'],
  'pay_period.snapshot': ['pay period snapshots', 'Snapshot', 'sum', 'calm'],
};

/** How people are told of a type about a pay period. */
export interface PayPeriodWords<Event> {
  readonly sentence: (event: Event, audience: Audience) => string;
  /** A shorter sentence without its full stop, of `max` characters if possible; absent: the sentence without its end. */
  readonly heading?: (event: Event, audience: Audience, max: number) => string | undefined;
  /** What follows the name of the period in its sentence, without what the heading says. */
  readonly facts?: (said: string) => string;
  /** What is left to do, as the sentence says it. */
  readonly open?: (event: Event) => string[];
}

type EventOf<Type extends PayPeriodType> = Type extends `${string}.readiness`
  ? ReadinessEvent
  : Type extends `${string}.statement`
    ? StatementEvent
    : Type extends `${string}.outstanding`
      ? OutstandingEvent
      : PayPeriodEvent;

export const PAY_PERIOD_WORDS: { readonly [Type in PayPeriodType]: PayPeriodWords<EventOf<Type>> } = {
  'pay_period.created': {
    sentence: (event, audience) => toPayPeriodSentence(event, audience, () => ' was added'),
  },
  'pay_period.changed': {
    sentence: (event, audience) =>
      toPayPeriodSentence(
        event,
        audience,
        ({ data, timeContext, late }) =>
          `: ${describeChanges(data, (field) => findFieldWords(field, timeContext))}${late}`,
      ),
  },
  'pay_period.closed': {
    sentence: (event, audience) =>
      toPayPeriodSentence(
        event,
        audience,
        ({ data, timeContext }) =>
          ` closed${describeClosing(data, timeContext)}${describeTotals(data.closeManifest, { ...audience, timeContext, time: event.time })}`,
      ),
    heading: buildClosingHeading,
    open: ({ data }) => listLeftovers(data.closeManifest),
  },
  'pay_period.reopened': {
    sentence: (event, audience) =>
      toPayPeriodSentence(
        event,
        audience,
        ({ data, when, timeContext }) =>
          ` was reopened ${when}${describeFormerClosing(data.previous, timeContext)}`,
      ),
    heading: ({ data, time }, audience, max) => {
      const period = describePeriodOf(data, toTimeContext(time, audience));
      const held = `Hold the pay file of ${period}`;
      return [`${held}: it was reopened`, held].find(({ length }) => length <= max);
    },
  },
  'pay_period.removed': {
    sentence: (event, audience) =>
      toPayPeriodSentence(event, audience, ({ when, late }) => ` was removed ${when}${late}`),
  },
  'pay_period.readiness': {
    sentence: toReadinessSentence,
    heading: buildReadinessHeading,
    facts: (said) =>
      said.replace(
        /^closes .*?(?:\d\d:\d\d|\)): (?:[\d,]+ of [\d,]+ timesheets? (?:is|are) not approved, )?/,
        '',
      ),
    open: ({ data: { readiness } }) =>
      readiness.unapproved === 0
        ? []
        : [`${formatNumber(readiness.unapproved)} of ${formatNumber(readiness.timesheets)}`],
  },
  'pay_period.statement': {
    sentence: toStatementSentence,
    heading: buildStatementHeading,
    open: ({ data }) => listLeftovers(data.statement),
  },
  'pay_period.outstanding': { sentence: toOutstandingSentence, heading: buildOutstandingHeading },
};

function listLeftovers(
  counts: { readonly unapproved: number; readonly unprocessed: number } | undefined,
): string[] {
  const { unapproved, unprocessed } = counts ?? { unapproved: 0, unprocessed: 0 };
  return [
    ...(unapproved === 0 ? [] : [`${formatNumber(unapproved)} not approved`]),
    ...(unprocessed === 0 ? [] : [`${formatNumber(unprocessed)} not processed`]),
  ];
}
