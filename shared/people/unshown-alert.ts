import * as z from 'zod';
import { isDate } from '../core/dates.ts';
import { topicOf } from '../core/event-types.ts';
import { ALERT_TYPES, type Alert } from './alert.ts';
import type { AlertContext } from './build-alert.ts';
import { countAlerts } from './digest/digest-title.ts';
import { cleanText, fitLine } from './messages/clean-text.ts';
import { cutHeading } from './messages/cut-heading.ts';
import { formatAt, formatDay } from './messages/moments.ts';
import { describePeriod } from './messages/pay-period-sentences.ts';
import {
  type Audience,
  envelope,
  nameService,
  readText,
  recordData,
  toTimeContext,
} from './messages/record-events.ts';
import { buildConsoleUrl, fillRecordUrl } from './record-address.ts';
import { nameRecordOf } from './words/operation-words.ts';

/** An event of which only the envelope has to be readable. */
export const unreadableEventSchema = z.object({
  ...envelope,
  type: z.enum(ALERT_TYPES),
  data: z.record(z.string(), z.unknown()).catch({}),
});
export type UnreadableEvent = z.output<typeof unreadableEventSchema>;

/**
 * In the place of an alert that cannot be worded: which record it is about, and where to look. It has an id of its own,
 * so that the alert itself still goes out when the event comes again and can be worded.
 */
export function buildUnshownAlert(event: UnreadableEvent, context: AlertContext): Alert {
  const { type, connection, subject = null } = event;
  const { match, timeZone } = context;
  return {
    id: `${event.id}-unshown`,
    ...{ type, connection, timeZone, at: Date.parse(event.time) },
    ...(event.epoch === undefined ? {} : { epoch: event.epoch }),
    sequence: event.sequence,
    ...buildTexts(event, context),
    urgent: match.urgent,
    subject: topicOf(type) === 'operations' ? null : subject,
    reverses: null,
    department: null,
    ...findUrl(event, context),
  };
}

/** With its day, since it may be sent later. */
function buildTexts(event: UnreadableEvent, reader: AlertContext): Pick<Alert, 'line' | 'heading'> {
  const { type, connection, time } = event;
  const audience: Audience = { ...reader, isHeld: true };
  const record = nameRecord(event, audience);
  const seen = `${countAlerts(type, 1)}, seen ${formatAt(Date.parse(time), toTimeContext(time, audience))}`;
  const sentence = `${record}: a message cannot be shown (${seen}); look it up in ${nameService(audience)}`;
  return {
    line: `${reader.namesConnection ? `${connection}: ` : ''}${fitLine(sentence, '.')}`,
    heading: cutHeading(`${record}: a message cannot be shown`),
  };
}

/** `Pay period 3_7 (Weekly 2-8 Mar)`, `Timesheet 1001_7 (Thu 5 Mar)`. */
function nameRecord(event: UnreadableEvent, audience: Audience): string {
  const { type, source, subject, connection, time, data } = event;
  const feed = source.slice(source.lastIndexOf('/') + 1);
  const named = subject === undefined ? undefined : nameRecordOf(feed, cleanText(subject));
  if (named === undefined || topicOf(type) === 'operations')
    return `The watching of connection ${cleanText(connection)}`;
  const place = namePlace(data, toTimeContext(time, audience));
  return place === null ? named : `${named} (${place})`;
}

/** The day of a timesheet, or the name of a pay period; null where that cannot be read either. */
function namePlace(data: UnreadableEvent['data'], at: ReturnType<typeof toTimeContext>): string | null {
  const state = recordData.current.catch(null).parse(data.current ?? data.previous);
  const dateOf = (name: string) => {
    const text = readText(state, name);
    return text !== null && isDate(text) ? text : null;
  };
  const date = dateOf('date');
  if (date !== null) return formatDay(date, at);
  return dateOf('startDate') === null || dateOf('finishDate') === null ? null : describePeriod(state, '', at);
}

function findUrl(
  { type, subject, connection, data }: UnreadableEvent,
  { recordUrl, consoleUrl }: Pick<AlertContext, 'recordUrl' | 'consoleUrl'>,
): Pick<Alert, 'url'> {
  if (subject === undefined || topicOf(type) === 'operations') return {};
  const { timesheetId, employeeId } = data;
  if (recordUrl !== undefined && typeof timesheetId === 'string' && typeof employeeId === 'string')
    return { url: fillRecordUrl(recordUrl, { timesheetId, employeeId, connection }) };
  return consoleUrl === undefined ? {} : { url: buildConsoleUrl(consoleUrl, { id: subject, connection }) };
}
