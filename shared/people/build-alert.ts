import * as z from 'zod';
import { cleanText } from '#shared/people/messages/clean-text.ts';
import { cutHeading } from '#shared/people/messages/cut-heading.ts';
import { isPerhapsLate, type LateData } from '#shared/people/messages/late-words.ts';
import { describePeriodOf } from '#shared/people/messages/pay-period-sentences.ts';
import { type EventType, topicOf } from '../core/event-types.ts';
import type { Alert, AlertTexts, Detail } from './alert.ts';
import { isIrreversible, type Match } from './match-channels.ts';
import {
  type DetailLine,
  listChangedTimesheets,
  listNotApproved,
  listWaitingDepartments,
  sayStillOpen,
} from './messages/account-details.ts';
import { isClosingEvent } from './messages/closing-sentences.ts';
import { isDirectoryEvent, nameSubject } from './messages/directory-sentences.ts';
import { isDueEvent, sayOpenOfClosed, summarizeDue } from './messages/due-sentences.ts';
import { type Audience, readNumber, readText, toTimeContext } from './messages/record-events.ts';
import { nameOf } from './messages/timesheet-fields.ts';
import { isTimesheetEvent, type TimesheetEvent } from './messages/timesheet-sentences.ts';
import type { Names } from './names/names.ts';
import { buildConsoleUrl, buildPeriodsUrl, fillRecordUrl } from './record-address.ts';
import { findReversal } from './reverted-hours.ts';
import { ALERT_NEWS } from './words/alert-news.ts';
import { buildFacts, buildHeading } from './words/headings.ts';
import { nameList, nameUnread } from './words/operation-words.ts';
import { readTimesheetStory } from './words/read-timesheet-story.ts';
import {
  type DescribableEvent,
  isOperationEvent,
  isPayPeriodEvent,
  toSentence,
  wordsOf,
} from './words/sentences.ts';

export interface AlertContext {
  readonly match: Match;
  /** Names that may be shown; ids stand for the others. */
  readonly names: Names;
  readonly timeZone: string;
  /** Hours of a timesheet when its processing was reverted; null or absent when they are not known. */
  readonly hoursBefore?: number | null | undefined;
  /** Whether the line says which connection it is about: there are several. */
  readonly namesConnection: boolean;
  /** Of a trouble the channel reads what it means for pay; without it, what failed. */
  readonly isForPay?: boolean | undefined;
  /** What people call the source. */
  readonly serviceName?: string | undefined;
  /** Address of a timesheet for people, with `{timesheetId}`, `{employeeId}` and `{connection}`. */
  readonly recordUrl?: string | undefined;
  /** Address of the console, for records without `recordUrl`. */
  readonly consoleUrl?: string | undefined;
}

/** The alert of an event for one channel. */
export function buildAlert(
  event: DescribableEvent,
  { match, recordUrl, consoleUrl, ...audience }: AlertContext,
): Alert {
  const { id, type, connection } = event;
  const { departmentId, reverses, late } = event.data as Readonly<Record<string, unknown>>;
  // Sentences of operational events name the connection themselves.
  const prefix = audience.namesConnection && isOfRecord(type) ? `${connection}: ` : '';
  const { timeZone, hoursBefore } = audience;
  const reading = { prefix, consoleUrl };
  const texts = buildTexts(event, audience, reading);
  const held = buildTexts(event, { ...audience, isHeld: true }, reading);
  return {
    id,
    type,
    connection,
    timeZone,
    at: Date.parse(event.time),
    ...(event.epoch === undefined ? {} : { epoch: event.epoch }),
    sequence: event.sequence,
    ...texts,
    ...(JSON.stringify(texts) === JSON.stringify(held) ? {} : { held }),
    urgent: match.urgent,
    subject: isOfRecord(type) ? (event.subject ?? null) : null,
    reverses: textOrNull(reverses),
    ...(isFirst(event) ? { isFirst: true } : {}),
    ...(match.endsClocking === true ? { endsClocking: true } : {}),
    ...(isIrreversible(late) ? { irreversible: true } : {}),
    ...readClosedPeriods(event),
    ...readWaiting(event, match),
    ...readRestored(event, hoursBefore),
    department: textOrNull(departmentId),
    ...(prefix === '' ? {} : { prefix }),
    ...buildUrl(event, { recordUrl, consoleUrl }),
    ...buildDetails(event, { audience, recordUrl, consoleUrl }),
    ...readClosingTime(event),
    ...readTotal(event),
    ...readList(event, audience),
  };
}

function buildTexts(
  event: DescribableEvent,
  audience: Audience,
  { prefix, consoleUrl }: { readonly prefix: string; readonly consoleUrl: string | undefined },
): AlertTexts {
  const heading = buildHeading(event, audience);
  const facts = prefix === '' ? buildFacts(event, audience, heading) : null;
  return {
    line: `${prefix}${toSentence(event, audience)}`,
    strong: findStrongPhrases(event, audience),
    heading: cutHeading(`${prefix}${heading}`),
    ...(facts === null ? {} : { facts }),
    ...(isTimesheetEvent(event) ? { story: readTimesheetStory(event, audience) } : {}),
    ...(prefix === '' ? buildSummary(event, audience, consoleUrl) : {}),
  };
}

type Addresses = Pick<AlertContext, 'recordUrl' | 'consoleUrl'>;

function buildUrl(event: DescribableEvent, { recordUrl, consoleUrl }: Addresses): Pick<Alert, 'url'> {
  const { subject, connection, type } = event;
  if (recordUrl === undefined || !isTimesheetEvent(event)) {
    if (consoleUrl === undefined || subject === undefined || !isOfRecord(type)) return {};
    return { url: buildConsoleUrl(consoleUrl, { id: subject, connection }) };
  }
  const { timesheetId, employeeId } = event.data;
  return { url: fillRecordUrl(recordUrl, { timesheetId, employeeId, connection: event.connection }) };
}

/** Whose timesheets of a pay period are not approved, and what changed since it was told. */
function buildDetails(
  event: DescribableEvent,
  { audience, recordUrl, consoleUrl }: Addresses & { readonly audience: Audience },
): Pick<Alert, 'details'> {
  const { connection } = event;
  const lines = listLines(event, audience).map(({ record, ...line }) => ({
    ...line,
    ...(record === null || recordUrl === undefined
      ? {}
      : { url: fillRecordUrl(recordUrl, { ...record, connection }) }),
  }));
  const details = [...lines, ...buildStillOpen(event, consoleUrl)];
  return details.length === 0 ? {} : { details };
}

function listLines(event: DescribableEvent, audience: Audience): DetailLine[] {
  if (!(isDueEvent(event) || isClosingEvent(event)) || event.data.account === null) return [];
  const { account } = event.data;
  const reader = { ...audience, now: Date.parse(event.time) };
  const waiting = listNotApproved(account, reader);
  if (isClosingEvent(event)) return [...waiting, ...listChangedTimesheets(account, reader)];
  const open = sayStillOpen(account, reader);
  return open === null ? waiting : [...waiting, { text: open, isInner: false, strong: [], record: null }];
}

/** A daily summary is shorter than a reminder: nothing of it is due at once. */
function buildSummary(
  event: DescribableEvent,
  audience: Audience,
  consoleUrl: string | undefined,
): Pick<AlertTexts, 'summary'> {
  if (!isDueEvent(event) || event.data.reminder !== null) return {};
  const summary = summarizeDue(event, audience);
  if (summary === null) return {};
  const departments = listWaitingDepartments(event.data.account, audience);
  const [stillOpen] = buildStillOpen(event, consoleUrl);
  return { summary: { ...summary, departments, ...(stillOpen === undefined ? {} : { stillOpen }) } };
}

/** What is still open of closed periods, with the address of the list of them. */
function buildStillOpen(event: DescribableEvent, consoleUrl: string | undefined): Detail[] {
  const text = isDueEvent(event) ? sayOpenOfClosed(event) : null;
  if (text === null) return [];
  return [
    { text, isInner: false, ...(consoleUrl === undefined ? {} : { url: buildPeriodsUrl(consoleUrl) }) },
  ];
}

function readClosingTime(event: DescribableEvent): Pick<Alert, 'closing'> {
  if (!isDueEvent(event)) return {};
  const { account, current } = event.data;
  const name = `${readText(current, 'calendar') ?? ''} ${readText(current, 'startDate') ?? ''}`;
  return { closing: { at: account.closesAt === null ? null : Date.parse(account.closesAt), name } };
}

function readTotal(event: DescribableEvent): Pick<Alert, 'total'> {
  if (!isClosingEvent(event) || event.type === 'workforce.pay_period.reopened') return {};
  const { account } = event.data;
  return account === null
    ? {}
    : { total: (account.changes?.listed ?? []).map(({ timesheetId }) => timesheetId) };
}

/** The records that a trouble is about; nothing for an event about something else. */
function readList(event: DescribableEvent, audience: Audience): Pick<Alert, 'list' | 'dated'> {
  return isTroubleEvent(event) && event.data.feed !== null ? nameUnread(event, audience) : {};
}

function isTroubleEvent(
  event: DescribableEvent,
): event is Extract<DescribableEvent, { readonly type: `workforce.trouble.${string}` }> {
  return event.type === 'workforce.trouble.began' || event.type === 'workforce.trouble.ended';
}

/** Whether it is left out when it is taken back before it is sent. */
function isFirst({ type, data }: DescribableEvent): boolean {
  const { mayBeTakenBack: field } = ALERT_NEWS[type];
  const { previous } = data as { readonly previous?: Readonly<Record<string, unknown>> | null };
  return typeof field === 'string' ? previous?.[field] == null : field === true;
}

const payPeriodsSchema = z
  .array(z.object({ id: z.string(), state: z.string() }))
  .optional()
  .catch(undefined);

/** What it can wait for, and the pay periods whose news it is sent with. */
function readWaiting({ type, data }: DescribableEvent, { urgent }: Match): Pick<Alert, 'waits' | 'periods'> {
  const { late, payPeriods, settles } = data as Readonly<Record<string, unknown>>;
  const { waits, settlesTimesheet } = ALERT_NEWS[type];
  const known = payPeriodsSchema.parse(payPeriods);
  const periods = known === undefined ? {} : { periods: known.map(({ id }) => id) };
  if (urgent || waits === undefined) return periods;
  if (waits === 'late') return isIrreversible(late) ? { ...periods, waits: 'news' } : periods;
  const isOpen = known?.length !== 0 && known?.every(({ state }) => state === 'open') === true;
  if (!isOpen || (settlesTimesheet === true && settles === undefined)) return periods;
  return { ...periods, waits: settlesTimesheet === true ? 'news' : 'answer' };
}

/** A processing with the hours that the reverted one had, while its pay period is open, leaves nothing to do. */
function readRestored(
  event: DescribableEvent,
  hoursBefore: number | null | undefined,
): Pick<Alert, 'restores'> {
  const reversal = findReversal(event);
  if (reversal === null || hoursBefore == null || !isTimesheetEvent(event)) return {};
  return readNumber(event.data.current, 'hoursToPay') === hoursBefore ? { restores: reversal } : {};
}

function isOfRecord(type: EventType): boolean {
  return topicOf(type) !== 'operations';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * The parts of a sentence that stand out where a medium can show it: whom or what it is about, and what is left to do.
 * Texts of the sentence, in the order in which they occur there.
 */
function findStrongPhrases(event: DescribableEvent, audience: Audience): string[] {
  if (isTimesheetEvent(event)) return [describeEmployee(event, audience)];
  if (isPayPeriodEvent(event))
    return [
      describePeriodOf(event.data, toTimeContext(event.time, audience)),
      ...(wordsOf(event).open?.(event) ?? []),
    ];
  if (isDirectoryEvent(event)) return [nameSubject(event, audience)];
  const sentence = toSentence(event, audience);
  const words = listWords(event, audience).map(cleanText);
  return words.filter((word) => word !== '' && sentence.includes(word)).slice(0, 1);
}

/** What a sentence about the notifier's own operation may be about, the best to stand out first. */
function listWords(event: Exclude<DescribableEvent, TimesheetEvent>, audience: Audience): string[] {
  const { timesheetId, about, feed } = event.data as Readonly<Record<string, unknown>>;
  const list = isOperationEvent(event) ? nameList(event, audience) : String(timesheetId);
  if (!Array.isArray(about)) return [list];
  const [first = ''] = about.map(String);
  return [feed === null ? `webhook ${first}` : first, list];
}

/** `Ana Lee`, or `employee 1030_1` where names may not be shown. */
function describeEmployee({ data }: TimesheetEvent, audience: Audience): string {
  return nameOf(audience.names.employees, data.employeeId, 'employee ');
}

/** The closed pay periods that a change of a timesheet came after, or may have; nothing for any other event. */
function readClosedPeriods({ data }: DescribableEvent): Pick<Alert, 'closedPeriods' | 'perhapsLate'> {
  const { late = [], closedPeriods } = data as Partial<LateData>;
  if (!Array.isArray(closedPeriods)) return {};
  return {
    closedPeriods: closedPeriods.flatMap((period) => (typeof period?.id === 'string' ? [period.id] : [])),
    ...(isPerhapsLate({ late, closedPeriods }) ? { perhapsLate: true } : {}),
  };
}
