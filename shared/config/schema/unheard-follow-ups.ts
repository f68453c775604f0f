import { EVENT_TYPES, type EventType, topicOf } from '#shared/core/event-types.ts';
import type { NotifierConfig } from './notifier-config.ts';

const OF_ANY_TIMESHEET = ['workforce.timesheet.changed', 'workforce.timesheet.removed'] as const;

/** What may happen later to what an event said: a receiver that pays by the event must hear these too. */
const FOLLOW_UPS = {
  'workforce.timesheet.approved': ['workforce.timesheet.approval_revoked', ...OF_ANY_TIMESHEET],
  'workforce.timesheet.payroll_approved': [
    'workforce.timesheet.payroll_approval_revoked',
    ...OF_ANY_TIMESHEET,
  ],
  'workforce.timesheet.processed': ['workforce.timesheet.processing_reverted', ...OF_ANY_TIMESHEET],
  'workforce.pay_period.closed': ['workforce.pay_period.reopened'],
} as const satisfies Partial<Record<EventType, readonly EventType[]>>;

/** The filter of a receiver that pays by approvals: them, closings, and everything that may become of both. */
export const PAYING_EVENT_TYPES: EventType[] = (
  ['workforce.timesheet.approved', 'workforce.pay_period.closed'] as const
).flatMap((type) => [type, ...FOLLOW_UPS[type]]);

/** A filter that passes approvals, processing or closings, but not what happens to them afterwards. */
export interface UnheardFollowUps {
  /** The setting, such as `webhooks[0].filter.type`. */
  readonly path: string;
  readonly says: string;
  readonly mend: string;
}

/** The filters of queues and webhooks whose receivers hear of an approval, but not of hours that change after it. */
export function findUnheardFollowUps(
  config: Pick<NotifierConfig, 'queues' | 'webhooks'>,
): UnheardFollowUps[] {
  const { queues, webhooks } = config;
  return Object.entries({ queues, webhooks }).flatMap(([list, receivers]) =>
    receivers.flatMap((receiver, index) => findUnheard(receiver, `${list}[${index}].filter`)),
  );
}

function findUnheard(
  { topics, filter }: NotifierConfig['queues' | 'webhooks'][number],
  path: string,
): UnheardFollowUps[] {
  const heard: readonly EventType[] =
    filter.type ?? EVENT_TYPES.filter((type) => topics.includes(topicOf(type)));
  const open = heard.filter((type) => followUpsOf(type).some((followUp) => !heard.includes(followUp)));
  const unheard = new Set(open.flatMap(followUpsOf).filter((each) => !heard.includes(each)));
  const found: UnheardFollowUps[] = [];
  if (open.length > 0) {
    const says = `hears ${open.join(', ')}, but not everything that happens to it afterwards`;
    found.push({ path: `${path}.type`, says, mend: `add ${[...unheard].join(', ')}` });
  }
  // What happens after an approval, a processing or a closing is late, so `late: false` leaves all of it out.
  if (filter.late === false && heard.some((type) => type in FOLLOW_UPS)) {
    const says = 'false leaves out what happens after an approval, a processing or a closing';
    found.push({ path: `${path}.late`, says, mend: 'leave late out' });
  }
  return found;
}

function followUpsOf(type: EventType): readonly EventType[] {
  const known: Partial<Record<EventType, readonly EventType[]>> = FOLLOW_UPS;
  return known[type] ?? [];
}
