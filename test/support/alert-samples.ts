import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { Alert } from '#shared/alerts/alert.ts';
import { buildAlert } from '#shared/alerts/build-alert.ts';
import { isForPay, matchChannels } from '#shared/alerts/match-channels.ts';
import { alertsSchema } from '#shared/config/schema/alerting.ts';
import {
  type DescribableEvent,
  describableEventSchema,
  toSentence,
} from '#shared/core/definitions/sentences.ts';
import type { ShortEventType } from '#shared/core/event-types.ts';
import {
  TROUBLE_KINDS,
  type Trouble,
  type TroubleKind,
  tellBegan,
  tellEnded,
} from '#shared/core/events/trouble.ts';
import { filterNames, type Names, NO_NAMES } from '#shared/names/names.ts';

const SAMPLE_TIME_ZONE = 'Pacific/Auckland';
/** Names of the employee and the department of the sample timesheet. */
export const SAMPLE_NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([
    ['2001_4711', 'Ana Lee'],
    ['2018_4711', 'Ben Fox'],
    ['2024_4711', 'Cleo Diaz'],
    ['2031_4711', 'Dan Wu'],
  ]),
  departments: new Map([
    ['501_4711', 'Kitchen'],
    ['502_4711', 'Bar'],
  ]),
};

type Json = Readonly<Record<string, unknown>>;

/** A sentence that differs from that of the sample event. */
interface AlertVariant {
  readonly type: ShortEventType;
  readonly when: string;
  /** Merged into the data of the sample event, objects member by member. */
  readonly data: Json;
}

const EVENT_ID = '9efa8d74505c55c9c0fb175ca53a0f41';

/** A trouble of each kind. */
const SAMPLE_TROUBLES: Readonly<Record<TroubleKind, readonly [about: readonly string[], cause: string]>> = {
  source_unreachable: [[], 'source_unauthorised'],
  dates_unreadable: [['2026-11-02'], 'source_failed'],
  records_unreadable: [['910002_4711'], 'hoursToPay'],
  dates_doubtful: [['2026-11-13'], 'lost approvedHours'],
  feed_late: [['2026-11-09', '2026-11-10'], 'overdue'],
  publish_failed: [[EVENT_ID], 'refused'],
  delivery_failed: [['payroll-system', EVENT_ID], '503'],
  webhook_disabled: [['payroll-system'], '410'],
};

/** The data of the event that begins a trouble of a kind, or ends one. */
export function troubleData(kind: TroubleKind, event: 'trouble.began' | 'trouble.ended'): Json {
  const [about, cause] = SAMPLE_TROUBLES[kind];
  const isOfWebhook = kind === 'delivery_failed' || kind === 'webhook_disabled';
  const trouble: Trouble = {
    ...{ kind, subject: about[0] ?? 'feed', about, count: kind === 'dates_doubtful' ? 41 : about.length },
    ...{ since: Date.parse('2026-11-14T19:17:00.502Z'), cause },
  };
  const { data } = event === 'trouble.began' ? tellBegan(trouble) : tellEnded(trouble);
  return { feed: isOfWebhook ? null : 'timesheets', ...data };
}

export const ALERT_VARIANTS: readonly AlertVariant[] = [
  {
    type: 'timesheet.changed',
    when: 'in another department',
    data: {
      changed: ['departmentId'],
      previous: { departmentId: '502_4711' },
      late: [],
    },
  },
  {
    type: 'timesheet.changed',
    when: 'with other breaks or activities',
    data: { changed: ['details'], previous: { details: null }, late: [] },
  },
  { type: 'timesheet.changed', when: 'after it was processed', data: { late: ['approval', 'processing'] } },
  {
    type: 'timesheet.changed',
    when: 'after it was processed and its period closed',
    data: { late: ['approval', 'processing', 'close'] },
  },
  {
    type: 'timesheet.approved',
    when: 'for the second time',
    data: { previous: { approvedHours: '2026-11-12T20:40:00.000Z' } },
  },
  {
    type: 'timesheet.approved',
    when: 'when the source does not say at what time',
    data: { occurredAt: null },
  },
  {
    type: 'timesheet.processed',
    when: 'after its processing had been reverted',
    data: { settles: [{ id: 'e-1', type: 'workforce.timesheet.processing_reverted', late: ['processing'] }] },
  },
  {
    type: 'timesheet.clocked_in',
    when: 'without a recorded time',
    data: { current: { clockIn: { localTime: null } }, occurredAt: null },
  },
  { type: 'timesheet.clocked_in', when: 'recorded after the period closed', data: { late: ['close'] } },
  {
    type: 'timesheet.clock_in_corrected',
    when: 'in other details than the time',
    data: { previous: { clockIn: { localTime: '2026-11-12T09:00:00.000' } } },
  },
  {
    type: 'pay_period.closed',
    when: 'with nothing left to do',
    data: { closeManifest: { unapproved: 0, unprocessed: 0 } },
  },
  {
    type: 'pay_period.closed',
    when: 'with other totals than the source',
    data: {
      closeManifest: { addsUp: false, difference: { timesheets: -1, employees: 0, hours: -7.5 } },
    },
  },
  {
    type: 'pay_period.closed',
    when: 'with totals older than two minutes',
    data: { closeManifest: { asOf: '2026-11-15T22:40:00.000Z' } },
  },
  {
    type: 'pay_period.closed',
    when: 'with dates that could not be read',
    data: {
      closeManifest: {
        complete: false,
        missing: { from: '2026-11-10', to: '2026-11-11' },
        addsUp: false,
        difference: { timesheets: -98, employees: 0, hours: -490 },
      },
    },
  },
  {
    type: 'pay_period.closed',
    when: 'with another calendar on the same dates, when the source does not say whose timesheets are whose',
    data: { closeManifest: { sharesDatesWith: ['4_4711'], addsUp: null, difference: null } },
  },
  {
    type: 'pay_period.closed',
    when: 'when the source did not say of all timesheets whether they are its own',
    data: { closeManifest: { members: 'partly', membersUnknown: 12, addsUp: null, difference: null } },
  },
  {
    type: 'pay_period.closed',
    when: 'without timesheets',
    data: { closeManifest: { timesheets: 0, addsUp: null } },
  },
  {
    type: 'pay_period.closed',
    when: 'before its dates were read',
    data: { closeManifest: { complete: false, asOf: null } },
  },
  {
    type: 'pay_period.closed',
    when: 'for the second time',
    data: { previous: { closed: '2026-11-13' } },
  },
  {
    type: 'pay_period.closed',
    when: 'again, after it was reopened',
    data: {
      settles: [{ id: 'e-1', type: 'workforce.pay_period.reopened', late: ['close'] }],
      closeManifest: { change: { timesheets: 0, employees: 0, hours: 3 } },
    },
  },
  {
    type: 'pay_period.statement',
    when: 'after it closed twice',
    data: {
      statement: {
        closings: 2,
        hours: 1_915.5,
        sinceClose: {
          hours: 1_915.5,
          changes: [
            { reason: 'late', hours: 2, timesheets: 2 },
            { reason: 'reopened', hours: 1, timesheets: 1 },
          ],
        },
      },
    },
  },
  {
    type: 'pay_period.statement',
    when: 'when nothing changed after the closing',
    data: { statement: { hours: 1_912.5, sinceClose: { hours: 1_912.5, changes: [] } } },
  },
  {
    type: 'pay_period.statement',
    when: 'when the next period closed before all was processed',
    data: { statement: { settledBy: 'next_closing', processed: 378, unprocessed: 2 } },
  },
  ...TROUBLE_KINDS.filter((kind) => kind !== 'dates_unreadable').flatMap((kind) =>
    (['trouble.began', 'trouble.ended'] as const).map((type) => ({
      ...{ type, when: `of kind \`${kind}\``, data: troubleData(kind, type) },
    })),
  ),
];

/** The sample event of a type, with other data where given. */
export function buildDescribableSample(type: ShortEventType, data: Json = {}): DescribableEvent {
  const event = JSON.parse(buildSampleEvent(type)) as Json;
  return describableEventSchema.parse({ ...event, data: merge(event.data, data) });
}

const SAMPLE_READER = { timeZone: SAMPLE_TIME_ZONE, namesConnection: false };

interface SampleReader {
  readonly data?: Json;
  readonly names?: Names;
  readonly isForPay?: boolean;
}

/** The sentence about the sample event of a type, by default for those who run the notifier. */
export function describeSample(
  type: ShortEventType,
  { data = {}, names = NO_NAMES, isForPay = false }: SampleReader = {},
): string {
  const audience = { ...SAMPLE_READER, names, isForPay };
  return toSentence(buildDescribableSample(type, data), audience);
}

/** Alerts of one channel. */
interface ChannelAlert {
  readonly channel: string;
  readonly alert: Alert;
}

/** What channels hear of an event. */
export function alertSample(event: DescribableEvent, alerts: unknown): ChannelAlert[] {
  const { channels, serviceName } = alertsSchema.parse(alerts);
  return matchChannels(event, { channels, timeZone: SAMPLE_TIME_ZONE }).map((match) => {
    const kinds = channels.find(({ name }) => name === match.channel)?.names ?? [];
    const alert = buildAlert(event, {
      ...SAMPLE_READER,
      match,
      serviceName,
      names: filterNames(kinds, SAMPLE_NAMES),
      isForPay: isForPay(match, channels),
    });
    return { channel: match.channel, alert };
  });
}

/** The alert about the sample event of a type, whoever is told of it, as those who run the notifier read it. */
export function sampleAlert(type: ShortEventType, { data = {}, names = NO_NAMES }: SampleReader = {}): Alert {
  const match = { channel: 'payroll', urgent: false };
  return buildAlert(buildDescribableSample(type, data), { ...SAMPLE_READER, match, names });
}

function merge(base: unknown, patch: unknown): unknown {
  if (!(isObject(base) && isObject(patch))) return patch;
  const merged = Object.entries(patch).map(([name, value]) => [name, merge(base[name], value)]);
  return { ...base, ...Object.fromEntries(merged) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
