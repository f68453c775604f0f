import { toIso } from '#shared/core/dates.ts';
import { type EventType, topicOf } from '#shared/core/event-types.ts';
import { REASONS } from '#shared/core/outcome/reasons.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { Explanation } from '#shared/operator/explain-record.ts';
import { type Chapter, type FoundRecord, findExpectedReceivers } from '#shared/operator/find-record.ts';
import type { Target } from '#shared/operator/target.ts';
import { toText } from '#shared/people/message.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { readableEventSchema } from '#shared/people/read-events.ts';
import { sayEvent } from '#shared/people/types/all.ts';
import { applyStyle, escapeUnprintable } from '#shared/terminal/output.ts';
import { formatLocalMoment, readable } from '#shared/terminal/readable-value.ts';

const PREFIX = 'workforce.';
const INDENT = ' '.repeat(6);

/** The history of a record in readable lines. Times are in the time zone of its connection. */
export function formatHistory(found: FoundRecord, target: Target, names: Names = NO_NAMES): string[] {
  const { feed, record, connection, chapters, state, why } = found;
  const heading = applyStyle('bold', escapeUnprintable(`${feed} ${record} of ${connection}`));
  const events = chapters.flatMap((chapter) => ['', ...formatChapter(chapter, found, { target, names })]);
  const title = chapters.length === 0 ? 'why there is no event:' : 'why there is no newer event:';
  return [heading, ...events, '', ...formatState(state, found, names), '', title, ...formatReasons(why)];
}

/** Why there is no event, each with what can be done about it. */
export function formatReasons(why: readonly Explanation[]): string[] {
  return why.flatMap(({ reason, about }) => {
    const { says, mend } = REASONS[reason];
    const here = about === '' ? '' : ` (${escapeUnprintable(about)})`;
    return [`${INDENT}${says}${here}`, ...(mend === undefined ? [] : [`${INDENT}-> ${mend}`])];
  });
}

interface Showing {
  readonly target: Target;
  readonly names: Names;
}

function formatChapter(
  { event, published, deliveries }: Chapter,
  { timeZone }: FoundRecord,
  { target, names }: Showing,
): string[] {
  const { observed, occurredAt } = event.data;
  const moment = (text: string) => formatLocalMoment(text, timeZone);
  const seen =
    observed.after === null
      ? `first seen at ${moment(observed.by)}`
      : `seen between ${moment(observed.after)} and ${moment(observed.by)}`;
  const happened = occurredAt == null ? '' : `happened ${moment(occurredAt)}, `;
  const type = event.type.replace(PREFIX, '');
  const parsed = readableEventSchema.safeParse(event);
  const words = parsed.success ? toText(sayEvent(parsed.data, { timeZone, names })) : type;
  const { receivers, leftOut } = listReceivers({ event, deliveries }, { target, moment });
  return [
    `${String(event.sequence).padStart(4)}  ${applyStyle('cyan', escapeUnprintable(words))}`,
    ...[
      `${type}  ${event.id}`,
      `${happened}${seen}`,
      `${published ? 'published to' : 'waiting to be published to'} the topic ${topicOf(event.type as EventType)}`,
      ...receivers,
      ...(leftOut.length === 0 ? [] : [`${REASONS.no_receiver.says}: ${leftOut.join(', ')}`]),
    ].map((line) => `${INDENT}${escapeUnprintable(line)}`),
  ];
}

/** The receivers of an event by the config and what became of its deliveries, and who gets none. */
function listReceivers(
  { event, deliveries }: Pick<Chapter, 'event' | 'deliveries'>,
  { target, moment }: { readonly target: Target; readonly moment: (text: string) => string },
): { readonly receivers: readonly string[]; readonly leftOut: readonly string[] } {
  const { queues, webhooks, leftOut } = findExpectedReceivers(event, target.config);
  const known = new Set(deliveries.map(({ destination }) => destination));
  const waiting = queues.map((name) => `queue ${name}: waits until it is read`);
  const pending = webhooks
    .filter((name) => !known.has(`webhook/${name}`))
    .map((name) => `webhook/${name}: not yet tried`);
  return {
    receivers: [...waiting, ...deliveries.map((each) => formatDelivery(each, moment)), ...pending],
    leftOut,
  };
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
  { timeZone, sequence }: FoundRecord,
  names: Names,
): string[] {
  if (state === null) return ['now: not stored'];
  const reading = { timeZone, day: null };
  const values = Object.entries(state).map(
    ([field, value]) =>
      `${INDENT}${escapeUnprintable(field)}: ${readable(value, reading)}${describeName(field, value, names)}`,
  );
  return [`now, after ${sequence} ${sequence === 1 ? 'event' : 'events'}:`, ...values];
}
