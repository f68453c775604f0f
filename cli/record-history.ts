import { toIso } from '#shared/core/dates.ts';
import { type EventType, topicOf } from '#shared/core/event-types.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { type Chapter, type FoundRecord, findExpectedReceivers } from '#shared/operator/find-record.ts';
import type { Target } from '#shared/operator/target.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { describeAbsence } from '#shared/terminal/describe-absence.ts';
import { describeAccount } from '#shared/terminal/describe-account.ts';
import { applyStyle, escapeUnprintable } from '#shared/terminal/output.ts';
import { formatLocalMoment, readable } from '#shared/terminal/readable-value.ts';

const PREFIX = 'workforce.';
const INDENT = ' '.repeat(6);

/** The history of a record in readable lines. Times are in the time zone of its connection. */
export function formatHistory(found: FoundRecord, target: Target, names: Names = NO_NAMES): string[] {
  const { feed, record, connection, chapters, state } = found;
  const heading = applyStyle('bold', escapeUnprintable(`${feed} ${record} of ${connection}`));
  const events = chapters.flatMap((chapter) => ['', ...formatChapter(chapter, found, target)]);
  return [heading, ...events, '', ...formatState(state, found, names)];
}

function formatChapter(
  { event, published, deliveries }: Chapter,
  found: FoundRecord,
  target: Target,
): string[] {
  const { timeZone } = found;
  const { observed, occurredAt, changed, current, previous, late } = event.data;
  const moment = (text: string) => formatLocalMoment(text, timeZone);
  const seen =
    observed.after === null
      ? `first seen at ${moment(observed.by)}`
      : `seen between ${moment(observed.after)} and ${moment(observed.by)}`;
  const happened = occurredAt == null ? '' : `happened ${moment(occurredAt)}, `;
  const reading = { timeZone, day: null };
  const words = describeAbsence(event, timeZone);
  const changes = changed.map(
    (name) =>
      `${INDENT}${escapeUnprintable(name)}: ${readable(previous?.[name], reading)} -> ${readable(current?.[name], reading)}`,
  );
  const type = escapeUnprintable(event.type.replace(PREFIX, ''));
  const account = describeAccount(event, timeZone);
  return [
    `${String(event.sequence).padStart(4)}  ${applyStyle('cyan', type)}  ${escapeUnprintable(event.id)}`,
    `${INDENT}${happened}${seen}`,
    ...(late.length === 0 ? [] : [`${INDENT}late: after ${escapeUnprintable(late.join(', '))}`]),
    ...(words === null ? changes : [`${INDENT}${escapeUnprintable(words)}`]),
    ...(account === null ? [] : [`${INDENT}${escapeUnprintable(account)}`]),
    `${INDENT}${published ? 'published to' : 'waiting to be published to'} the topic ${topicOf(event.type as EventType)}`,
    ...listReceiverLines({ event, deliveries }, { target, moment }).map(
      (line) => `${INDENT}${escapeUnprintable(line)}`,
    ),
  ];
}

/** The receivers of an event by the config, and what became of its deliveries. */
function listReceiverLines(
  { event, deliveries }: Pick<Chapter, 'event' | 'deliveries'>,
  { target, moment }: { readonly target: Target; readonly moment: (text: string) => string },
): string[] {
  const { queues, webhooks } = findExpectedReceivers(event, target.config);
  const known = new Set(deliveries.map(({ destination }) => destination));
  const waiting = queues.map((name) => `queue ${name}: waits until it is read`);
  const pending = webhooks
    .filter((name) => !known.has(`webhook/${name}`))
    .map((name) => `webhook/${name}: not yet tried`);
  return [...waiting, ...deliveries.map((each) => formatDelivery(each, moment)), ...pending];
}

function formatDelivery(
  { destination, outcome, at, attempts, detail, nextAt }: Delivery,
  moment: (text: string) => string,
): string {
  const tries = attempts === 0 ? '' : `, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const tried = outcome === 'waiting' && attempts > 0 ? 'waiting, last tried' : outcome;
  const said = detail === null ? '' : `, ${detail}`;
  const next = nextAt === undefined ? '' : `, next try ${moment(toIso(nextAt))}`;
  return `${destination}: ${tried} ${moment(toIso(at))}${tries}${said}${next}`;
}

/** ` (Ana Lee)`, of whoever has a stored name. */
function describeName(field: string, value: unknown, { employees, departments }: Names): string {
  const known = field === 'employeeId' ? employees : field === 'departmentId' ? departments : null;
  const name = known?.get(String(value));
  return name === undefined ? '' : ` (${escapeUnprintable(name)})`;
}

function formatState(
  state: FoundRecord['state'],
  { timeZone, chapters, sequence }: FoundRecord,
  names: Names,
): string[] {
  if (state === null) {
    const last = chapters.at(-1)?.event.type ?? '';
    return [last.endsWith('.removed') ? 'now: removed' : 'now: no stored state'];
  }
  const reading = { timeZone, day: null };
  const values = Object.entries(state).map(
    ([field, value]) =>
      `${INDENT}${escapeUnprintable(field)}: ${readable(value, reading)}${describeName(field, value, names)}`,
  );
  return [`now, after ${sequence} ${sequence === 1 ? 'event' : 'events'}:`, ...values];
}
