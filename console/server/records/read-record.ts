import type { ChapterNote, ReceiverOutcome, RecordAnswer, RecordQuery } from '#console/answers/record.ts';
import { toIso } from '#shared/core/dates.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import {
  type Chapter,
  type FoundRecord,
  findExpectedReceivers,
  findRecord,
} from '#shared/operator/find-record.ts';
import { toContext } from '#shared/people/messages/account-sentences.ts';
import { describePeriod } from '#shared/people/period-name.ts';
import { formatCommand, quote } from '#shared/terminal/format-command.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { describeChange } from '../lines/describe-line.ts';
import { describeCode } from '../words.ts';

interface Describing {
  readonly context: ConsoleContext;
  readonly knowledge: ConnectionKnowledge;
}

/** The history of a record as `events RECORD --json` prints it, and what its events mean. */
export async function readRecord(
  { id, connection, since = '90d' }: RecordQuery,
  context: ConsoleContext,
): Promise<RecordAnswer> {
  const flags = { record: id, since, ...(connection === undefined ? {} : { connection }) };
  const found = await findRecord(flags, context.target);
  const notes = await Promise.all(
    found.map(async (each) => {
      const knowledge = await context.knowledge.load(each.connection);
      return describeRecord(each, { context, knowledge });
    }),
  );
  return { found: JSON.parse(JSON.stringify(found)) as RecordAnswer['found'], notes };
}

function describeRecord(found: FoundRecord, describing: Describing): RecordAnswer['notes'][number] {
  const { names } = describing.knowledge;
  const { target } = describing.context;
  const { employeeId, departmentId, date } = findPlaces(found);
  const { baseUrl } = findConnection(describing.context, found.connection);
  const path = found.feed === 'pay-periods' ? 'payperiods' : found.feed;
  return {
    ...{ employeeId, date },
    employee: names.employees.get(employeeId ?? '') ?? null,
    department: names.departments.get(departmentId ?? '') ?? departmentId,
    period: findPeriodName(found, describing),
    chapters: found.chapters.map((chapter) => describeChapter(chapter, found, describing)),
    command: formatCommand(target, 'events', found.record),
    send: formatCommand(
      target,
      'send',
      '--events',
      '--record',
      found.record,
      '--since',
      '90d',
      '--to',
      'NAME',
    ),
    curl: formatCurl(`${baseUrl}/api/v1/${path}/${encodeURIComponent(found.record)}`),
  };
}

/** The request for an address, for a shell: the id in it is the source's, and may hold quotes. */
export function formatCurl(address: string): string {
  return `curl -H "Authorization: Bearer $WORKFORCE_API_TOKEN" ${quote(address)}`;
}

/** Whose it is, and where; of somebody's own entry of the directory, who that is. */
function findPlaces({ feed, record, state, chapters }: FoundRecord) {
  const last = chapters.at(-1)?.event.data;
  const textOf = (name: string) => {
    const value = state?.[name] ?? last?.[name] ?? last?.current?.[name] ?? last?.previous?.[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    employeeId: feed === 'employees' ? record : textOf('employeeId'),
    departmentId: feed === 'departments' ? record : textOf('departmentId'),
    date: textOf('date'),
  };
}

/** `Weekly 26 Oct - 1 Nov`; null for any other record. */
function findPeriodName(
  { feed, record, state, chapters }: FoundRecord,
  { context, knowledge }: Describing,
): string | null {
  if (feed !== 'pay-periods') return null;
  const last = chapters.at(-1)?.event.data;
  const named = {
    current: state ?? last?.current ?? null,
    previous: last?.previous ?? null,
    payPeriodId: record,
  };
  const now = Math.floor(context.target.system.now());
  return describePeriod(named, toContext({ now, timeZone: knowledge.timeZone }));
}

function describeChapter(
  { event, deliveries }: Chapter,
  { timeZone }: FoundRecord,
  { context, knowledge }: Describing,
): ChapterNote {
  return {
    eventId: event.id,
    says: describeChange(event, event, { ...knowledge, timeZone }).says,
    receivers: listReceivers(event, deliveries, context.target),
  };
}

/** What became of an event at each receiver that it is for. */
export function listReceivers(
  event: object,
  deliveries: readonly Delivery[],
  target: ConsoleContext['target'],
): ReceiverOutcome[] {
  const { queues, webhooks } = findExpectedReceivers(event, target.config);
  const known = new Set(deliveries.map(({ destination }) => destination));
  return [
    ...queues.map((name) => createReceiver(`queue ${name}`, 'queued')),
    ...deliveries.map(describeDelivery),
    ...webhooks
      .map((name) => `webhook/${name}`)
      .filter((name) => !known.has(name))
      .map((name) => createReceiver(name, 'untried')),
  ];
}

function createReceiver(name: string, outcome: ReceiverOutcome['outcome']): ReceiverOutcome {
  return { name, outcome, at: null, attempts: 0, answers: [], detail: null, nextAt: null };
}

function describeDelivery({
  destination,
  outcome,
  at,
  attempts,
  detail,
  answers,
  nextAt,
}: Delivery): ReceiverOutcome {
  return {
    name: destination,
    outcome,
    at: toIso(at),
    attempts,
    answers: (answers ?? []).map(describeCode),
    detail: detail === null ? null : describeCode(detail),
    nextAt: nextAt === undefined ? null : toIso(nextAt),
  };
}
