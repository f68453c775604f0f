import * as z from 'zod';
import type { Preset } from '../core/definitions/event-definition.ts';
import type { PublishedType } from '../core/event-types.ts';
import { ABSENCE_FIELDS } from '../core/records/absences.ts';
import { isAfterPay } from './late.ts';
import { isQuietUntil, type QuietHours } from './quiet-hours.ts';
import { entryOf } from './types/all.ts';
import { TROUBLES_FOR_PAY } from './types/operations.ts';
import type { Delay } from './waiting-event.ts';

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
  readonly delay: Delay;
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

/** The channels that are told of an event, of which only the envelope has to be readable. */
export function matchChannels(event: MatchedEvent, { channels, timeZone }: Hearers): Match[] {
  const { urgent: isUrgent } = entryOf(event.type);
  const data = dataSchema.parse(event.data);
  if (isRepeatedSettlement(event.type, data)) return [];
  const delay = chooseDelay(event.type, data);
  return channels.flatMap((channel): Match[] => {
    if (!concerns(channel, data)) return [];
    const isTold = isToldOf(channel, event.type, data);
    if (!isTold && !isToldOfEnd(channel, event.type, data)) return [];
    const urgent = isUrgent === true || cannotWait(event, channel.quietHours, { data, timeZone });
    return [
      { channel: channel.name, urgent, ...(isTold ? { delay } : { delay: 'minute', endsClocking: true }) },
    ];
  });
}

/** What changes hours after the closing, or settles such a change, is acted upon. */
function chooseDelay(type: PublishedType, { late, settles }: Data): Delay {
  const { delay = 'minute' } = entryOf(type);
  if (delay !== 'hour_while_open') return delay;
  const isClosed = [{ late }, ...settles].some((each) => each.late.includes('close'));
  return isClosed ? 'minute' : 'hour';
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
const changesSchema = z.object({
  verdict: text,
  complete: z.boolean().catch(false),
  timesheets: z.number().catch(1),
});
const dataSchema = z.object({
  kind: text,
  late: lateSchema,
  previousDepartmentId: text,
  current: stateSchema,
  previous: stateSchema,
  reminder: z.looseObject({}).nullish().catch(null),
  summaries: z.array(z.string()).catch([]),
  account: z
    .object({
      closesAt: z.iso.datetime().nullish(),
      verdict: text,
      changes: changesSchema.nullish().catch(null),
    })
    .nullish()
    .catch(null),
  settles: z.array(z.object({ late: lateSchema })).catch([]),
});
type Data = z.output<typeof dataSchema>;

/** Whether a settlement says what was told already: to pay the same hours, of the same timesheets. */
function isRepeatedSettlement(type: PublishedType, { account }: Data): boolean {
  if (type !== 'workforce.pay_period.settled' || account?.changes == null || account.verdict !== 'pay')
    return false;
  const { verdict, complete, timesheets } = account.changes;
  return verdict === 'pay' && complete && timesheets === 0;
}

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

const ALL_FOR_PAY: readonly Preset[] = ['approvals', 'closings', 'late-changes', 'troubles'];

/** Whether a channel asks for a preset. Missing clockings need a setting of the connection, and are asked for. */
export function asksFor(
  { tells, for: purpose }: Pick<ChannelInterest, 'tells' | 'for'>,
  preset: Preset | undefined,
): boolean {
  const wanted: readonly Preset[] = tells ?? (purpose === 'operations' ? ['troubles'] : ALL_FOR_PAY);
  return preset !== undefined && wanted.includes(preset);
}

function isToldOf(channel: ChannelInterest, type: PublishedType, data: Data): boolean {
  const { tells } = entryOf(type);
  const isDue = type === 'workforce.pay_period.due';
  if (isDue && data.summaries.some((at) => at === channel.dailySummary?.at)) return true;
  if (!asksFor(channel, tells)) return false;
  if (tells === 'troubles' && channel.for !== 'operations')
    return data.kind == null || TROUBLES_FOR_PAY.some((kind) => kind === data.kind);
  if (isDue) return data.reminder != null;
  return tells !== 'late-changes' || [data, ...data.settles].some(isAfterPay);
}

/** Whether it ends a missing clocking, of which a channel hears. */
function isToldOfEnd(channel: ChannelInterest, type: PublishedType, { previous }: Data): boolean {
  if (entryOf(type).endsClocking !== true || !asksFor(channel, 'missing-clockings')) return false;
  return ABSENCE_FIELDS.some((field) => previous?.[field] != null);
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
