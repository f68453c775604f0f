import * as z from 'zod';
import type { AlertNews, Preset } from '../core/definitions/event-definition.ts';
import type { PublishedType } from '../core/event-types.ts';
import { ABSENCE_FIELDS } from '../core/records/absences.ts';
import { saysNothingNew } from './messages/closing-sentences.ts';
import { isQuietUntil, type QuietHours } from './quiet-hours.ts';
import { ALERT_NEWS } from './words/alert-news.ts';
import { TROUBLES_FOR_PAY } from './words/operation-words.ts';
import type { DescribableEvent } from './words/sentences.ts';

/** A channel as far as it decides what it gets. */
export interface ChannelInterest {
  readonly name: string;
  /** Channels for operations hear every trouble of the notifier itself, with its cause. */
  readonly for?: 'pay' | 'operations' | undefined;
  readonly tells?: readonly Preset[] | undefined;
  readonly departments?: readonly string[] | undefined;
  readonly calendars?: readonly string[] | undefined;
  readonly quietHours?: QuietHours | undefined;
  readonly dailySummary?: { readonly at: string } | undefined;
}

/** A channel that is told of an event. */
export interface Match {
  readonly channel: string;
  readonly urgent: boolean;
  /** It is told of it only because it ends a missing clocking. */
  readonly endsClocking?: true;
}

/** The members of an event that decide who is told of it. */
interface MatchedEvent {
  readonly type: PublishedType;
  /** RFC 3339. */
  readonly time: string;
  readonly data: object;
}

/** Who hears of the events of a connection. */
export interface Hearers {
  readonly channels: readonly ChannelInterest[];
  readonly timeZone: string;
}

const FOR_PAY: readonly Preset[] = ['approvals', 'closings', 'late-changes', 'troubles'];
const FOR_OPERATIONS: readonly Preset[] = ['troubles'];

/** What a channel is told of: what it asks for, or what suits whom it is for. */
function presetsOf({ tells, ...channel }: Pick<ChannelInterest, 'for' | 'tells'>): readonly Preset[] {
  return tells ?? (channel.for === 'operations' ? FOR_OPERATIONS : FOR_PAY);
}

/** Whether a channel may be told of a type of event. */
export function asksFor(
  channel: Pick<ChannelInterest, 'for' | 'tells'>,
  { preset }: Pick<AlertNews, 'preset'>,
): boolean {
  return preset !== undefined && presetsOf(channel).includes(preset);
}

/** Whether a trouble means something for those who pay: of the others, channels for operations alone are told. */
function concernsPay({ kind }: Data): boolean {
  return kind == null || TROUBLES_FOR_PAY.some((each) => each === kind);
}

/** The channels that are told of an event; of a settlement that says what the closing said, none. */
export function matchEvent(event: DescribableEvent, to: Hearers): Match[] {
  return event.type === 'workforce.pay_period.settled' && saysNothingNew(event)
    ? []
    : matchChannels(event, to);
}

/** The same of an event of which only the envelope has to be readable. */
export function matchChannels(event: MatchedEvent, { channels, timeZone }: Hearers): Match[] {
  const data = dataSchema.parse(event.data);
  const { isUrgent = false } = ALERT_NEWS[event.type];
  return channels.flatMap((channel) => {
    if (!concerns(channel, data)) return [];
    const asks = isToldOf(channel, event.type, data);
    if (!asks && !isToldOfEnd(channel, event.type, data)) return [];
    const urgent = isUrgent || cannotWait(event, channel.quietHours, { data, timeZone });
    return [{ channel: channel.name, urgent, ...(asks ? {} : { endsClocking: true as const }) }];
  });
}

const text = z.string().nullish().catch(null);
const missingSince = z.iso.datetime().nullish().catch(null);
const lateSchema = z.array(z.string()).catch([]);
const stateSchema = z
  .object({
    departmentId: text,
    calendar: text,
    clockInMissing: missingSince,
    clockOutMissing: missingSince,
  })
  .nullish()
  .catch(null);
const dataSchema = z.object({
  kind: text,
  late: lateSchema,
  previousDepartmentId: text,
  current: stateSchema,
  previous: stateSchema,
  reminder: z.looseObject({}).nullish().catch(null),
  summaries: z.array(z.string()).catch([]),
  account: z.object({ closesAt: z.iso.datetime().nullish() }).nullish().catch(null),
  settles: z.array(z.object({ late: lateSchema })).catch([]),
});
type Data = z.output<typeof dataSchema>;

/** Whether an event is of a channel's departments and calendars, before or after it; what has none of them is. */
function concerns({ departments, calendars }: ChannelInterest, data: Data): boolean {
  const { current, previous, previousDepartmentId } = data;
  return (
    isAmong(departments, [current?.departmentId, previous?.departmentId, previousDepartmentId]) &&
    isAmong(calendars, [current?.calendar, previous?.calendar])
  );
}

function isAmong(wanted: readonly string[] | undefined, values: readonly (string | null | undefined)[]) {
  const known = values.filter((value) => typeof value === 'string');
  return wanted === undefined || known.length === 0 || known.some((value) => wanted.includes(value));
}

function isToldOf(channel: ChannelInterest, type: PublishedType, data: Data): boolean {
  const news = ALERT_NEWS[type];
  const { preset, isDue } = news;
  if (isDue === true && data.summaries.some((at) => at === channel.dailySummary?.at)) return true;
  if (!asksFor(channel, news)) return false;
  if (preset === 'troubles' && channel.for !== 'operations' && !concernsPay(data)) return false;
  if (isDue === true) return data.reminder != null;
  return preset !== 'late-changes' || [data, ...data.settles].some(({ late }) => isIrreversible(late));
}

/** Whether it ends a missing clocking, of which a channel hears. */
function isToldOfEnd(channel: ChannelInterest, type: PublishedType, { previous }: Data): boolean {
  if (ALERT_NEWS[type].endsClocking !== true) return false;
  if (!asksFor(channel, { preset: 'missing-clockings' })) return false;
  return ABSENCE_FIELDS.some((field) => previous?.[field] != null);
}

/** Reasons for being late that no later event undoes: somebody was paid, or will be. */
const FINAL: readonly unknown[] = ['processing', 'close'];

export function isIrreversible(late: unknown): boolean {
  return Array.isArray(late) && late.some((each) => FINAL.includes(each));
}

/** Time before a deadline in which a message that was held can still be acted upon. */
const MIN_NOTICE_MS = 1_800_000;

/** Whether quiet hours would hold a reminder until its deadline has almost passed. */
function cannotWait(
  { time }: MatchedEvent,
  quietHours: QuietHours | undefined,
  { data: { reminder, account }, timeZone }: { readonly data: Data; readonly timeZone: string },
): boolean {
  const deadline = account?.closesAt;
  if (quietHours === undefined || reminder == null || deadline == null) return false;
  const to = Date.parse(deadline) - MIN_NOTICE_MS;
  return isQuietUntil(quietHours, { from: Date.parse(time), to }, timeZone);
}

/** The zone of a connection that is no longer in the config. */
const UNKNOWN_ZONE = 'UTC';

export function zoneOf(
  connection: string,
  connections: readonly { readonly name: string; readonly timeZone: string }[],
): string {
  return connections.find(({ name }) => name === connection)?.timeZone ?? UNKNOWN_ZONE;
}

/** Whether a channel reads what a trouble means for pay, and not what failed. */
export function isForPay({ channel }: Match, channels: readonly ChannelInterest[]): boolean {
  return channels.find(({ name }) => name === channel)?.for !== 'operations';
}
