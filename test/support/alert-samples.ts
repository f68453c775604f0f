import { exampleEvent } from '#kit/testing/example-event.ts';
import { peopleSchema } from '#shared/config/schema/people.ts';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { toEventType } from '#shared/core/event-types.ts';
import { type Trouble, type TroubleKind, tellBegan, tellEnded } from '#shared/core/events/trouble.ts';
import type { Alert } from '#shared/people/alert.ts';
import { buildAlert } from '#shared/people/build-alert.ts';
import { isForPay, matchChannels } from '#shared/people/match-channels.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { type DescribableEvent, describableEventSchema, toSentence } from '#shared/people/words/sentences.ts';

const SAMPLE_TIME_ZONE = 'Pacific/Auckland';
/** Names of the employee and the department of the sample timesheet. */
export const SAMPLE_NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([
    ['1030_1', 'Ana Lee'],
    ['1014_1', 'Ben Fox'],
    ['1024_1', 'Cleo Diaz'],
    ['1008_1', 'Dan Wu'],
  ]),
  departments: new Map([
    ['202_1', 'Kitchen'],
    ['204_1', 'Bar'],
  ]),
};

type Json = Readonly<Record<string, unknown>>;

const EVENT_ID = '9efa8d74505c55c9c0fb175ca53a0f41';

/** A trouble of each kind. */
const SAMPLE_TROUBLES: Readonly<Record<TroubleKind, readonly [about: readonly string[], cause: string]>> = {
  source_unreachable: [[], 'source_unauthorised'],
  dates_unreadable: [['2026-11-11'], 'source_failed'],
  records_unreadable: [['101551_1'], 'hoursToPay'],
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
    ...{ since: Date.parse(exampleEvent('workforce.trouble.began').data.since), cause },
  };
  const { data } = event === 'trouble.began' ? tellBegan(trouble) : tellEnded(trouble);
  return { feed: isOfWebhook ? null : 'timesheets', ...data };
}

/** The sample event of a type, with other data where given. */
export function buildDescribableSample(type: ShortEventType, data: Json = {}): DescribableEvent {
  const event = exampleEvent(toEventType(type)) as Json;
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
  const { channels, serviceName } = peopleSchema.parse(alerts);
  return matchChannels(event, { channels, timeZone: SAMPLE_TIME_ZONE }).map((match) => {
    const reader = { ...SAMPLE_READER, serviceName, names: NO_NAMES, isForPay: isForPay(match, channels) };
    const alert = buildAlert(event, { ...reader, match });
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
