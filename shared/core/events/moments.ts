import type { State } from '../records/fields.ts';
import type { Transition } from './transitions.ts';

/**
 * What is told of a pay period besides a change of its record. `step`: what time brings; null: the account is said with its
 * closing or reopening.
 */
export interface Moment {
  readonly step: 'due' | 'recounted' | 'settled' | null;
  /** Members of the event's data. */
  readonly data: object;
}

/** Moments of pay periods, by their ids. */
export type Moments = ReadonlyMap<string, Moment>;

/** What time alone brings of a pay period comes after what else happened to it, and changes nothing of the record. */
export function toMomentSteps(after: State | null, moment: Moment | undefined): Transition[] {
  if (after === null || moment === undefined || moment.step === null) return [];
  return [
    {
      type: `pay_period.${moment.step}`,
      kind: 'moment',
      fact: null,
      changed: [],
      from: after,
      to: after,
      collapsed: false,
    },
  ];
}

/** What `data` of a step has besides. */
export function describeMoment({ type }: Transition, moment: Moment | undefined): object {
  if (type === 'pay_period.closed' || type === 'pay_period.reopened')
    return moment?.step === null ? moment.data : { account: null };
  return moment !== undefined && type === `pay_period.${moment.step}` ? moment.data : {};
}
