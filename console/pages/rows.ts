import { html } from 'hono/html';
import type { Line } from '#console/answers/lines.ts';
import { toLocalDate, toLocalTime } from '#shared/core/dates.ts';
import { type ShortEventType, toEventType } from '#shared/core/event-types.ts';
import { formatCount, formatNumber } from '#shared/people/messages/numbers.ts';
import { entryOf } from '#shared/people/types/all.ts';
import {
  type Html,
  linkPerson,
  type Reading,
  sayDay,
  showTime,
  toPeriodAddress,
  toRecordAddress,
} from './parts.ts';

/** Events of one type that follow each other within this time are a group. */
const MAX_GAP_MS = 30 * 60_000;
const MAX_SPAN_MS = 3 * 60 * 60_000;
/** Fewer stay as they are. */
const MIN_GROUP_LINES = 3;

type ShownLine = Omit<Line, 'key'>;

/** What a type of event is about: colours it. */
const TONES: readonly (readonly [types: RegExp, tone: string])[] = [
  [/(?:revoked|reverted|removed|reopened|forgotten)$/, 'undone'],
  [/(?:approved|processed|closed|recounted|settled)$/, 'done'],
  [/(?:missing|began)$/, 'watch'],
];

export function toneOf(type: string): string {
  return TONES.find(([types]) => types.test(type))?.[1] ?? 'calm';
}

/** One event: when it was seen, whose it is, of which day, and what changed; `end` stands behind it. */
export function showRow(line: ShownLine, reading: Reading, end: unknown = showLate(line.late)): Html {
  return html`<li class="row" data-event="${line.id}">${showTime(line.seenAt, { ...reading, timeZone: line.timeZone })}
<i class="dot ${toneOf(line.type)}"></i>
<span class="who">${linkOwner(line)} <small>${line.department ?? ''}</small></span>
<span class="date">${line.date === null ? '' : sayDay(line.date, reading)}</span>
<span class="says">${linkRecord(line)}</span>
<span class="end">${end}</span></li>`;
}

function linkOwner(line: ShownLine): Html {
  const { employeeId, period, record, connection } = line;
  if (employeeId !== null) return linkPerson(line);
  if (period !== null && record !== null)
    return html`<a href="${toPeriodAddress(record, line)}">${period}</a>`;
  return html`${connection}`;
}

function linkRecord(line: ShownLine): Html {
  if (line.record === null) return html`${line.says}`;
  return html`<a href="${toRecordAddress(line.record, line, line.id)}">${line.says}</a>`;
}

export function showLate(late: readonly string[]): Html | '' {
  return late.length === 0 ? '' : html`<span class="tag watch">late</span>`;
}

/** Rows of lines, newest first, by day; many of one type that happened together are one. */
export function showRows(lines: readonly Line[], reading: Reading, isGrouped = true): Html[] {
  if (!isGrouped) return showByDay(lines, reading, (line) => showRow(line, reading));
  const groups = groupLines(lines).map(([newest, ...others]) => ({ ...(newest as Line), others }));
  return showByDay(groups, reading, ({ others, ...newest }) =>
    others.length === 0 ? showRow(newest, reading) : showGroup([newest, ...others], reading),
  );
}

/** Lines, newest first, with a heading for each day. */
export function showByDay<Shown extends ShownLine>(
  lines: readonly Shown[],
  reading: Reading,
  show: (line: Shown) => Html,
): Html[] {
  return lines.flatMap((line, place) => {
    const [day, before] = [line, lines[place - 1]].map((each) => (each === undefined ? '' : dayOf(each)));
    const heading = html`<li class="day" data-day="${day}"><h2>${sayDay(day ?? '', reading)}</h2></li>`;
    return day === before ? [show(line)] : [heading, show(line)];
  });
}

/** `7 clock-outs, 15:18 to 16:24, 4 departments`, which opens to its rows. Newest first. */
function showGroup(lines: readonly Line[], reading: Reading): Html {
  const [newest] = lines as [Line];
  const late = lines.filter((each) => each.late.length > 0).length;
  const departments = new Set(lines.map(({ departmentId }) => departmentId)).size;
  return html`<li class="group"><details><summary class="row">${showTime(newest.seenAt, { ...reading, timeZone: newest.timeZone })}
<i class="dot ${toneOf(newest.type)}"></i><span class="sum"><b>${formatNumber(lines.length)} ${nameMany(newest.type)}</b>${saySpan(lines)}${
    departments > 1 ? `, ${formatCount(departments, 'department')}` : ''
  }${late > 0 ? `, ${formatNumber(late)} late` : ''}</span></summary>
<ol>${lines.map((line) => showRow(line, reading))}</ol></details></li>`;
}

/** What many of a type are called; of one that this version does not know, its name. */
function nameMany(type: string): string {
  const entry = entryOf(toEventType(type as ShortEventType)) as ReturnType<typeof entryOf> | undefined;
  return entry?.counted[1] ?? type.replaceAll(/[._]/g, ' ');
}

/** `, 15:18 to 16:24`: when they happened, or were seen where the source does not say. */
function saySpan(lines: readonly Line[]): string {
  const times = lines.map(({ occurredAt, seenAt, timeZone }) => {
    const at = Date.parse(occurredAt ?? '');
    return toLocalTime(Number.isNaN(at) ? Date.parse(seenAt) : at, timeZone);
  });
  const [first, last] = [times.toSorted()[0], times.toSorted().at(-1)];
  return first === last ? `, ${first}` : `, ${first} to ${last}`;
}

/** Puts lines, newest first, into groups. Each line is in exactly one; groups are in the order of their newest. */
export function groupLines(lines: readonly Line[]): Line[][] {
  const open = new Map<string, Line[]>();
  const groups: Line[][] = [];
  for (const line of lines) {
    const kind = `${line.connection} ${line.type}`;
    const group = open.get(kind);
    if (group !== undefined && belongs(line, group)) {
      group.push(line);
      continue;
    }
    const begun = [line];
    open.set(kind, begun);
    groups.push(begun);
  }
  // Two of a kind stay where they happened.
  return groups
    .flatMap((group) => (group.length < MIN_GROUP_LINES ? group.map((line) => [line]) : [group]))
    .sort(([a], [b]) => ((a?.key ?? '') < (b?.key ?? '') ? 1 : -1));
}

function belongs(line: Line, group: readonly Line[]): boolean {
  const [newest = line, last = line] = [group[0], group.at(-1)];
  const [at, lastAt, newestAt] = [line, last, newest].map(({ seenAt }) => Date.parse(seenAt)) as [
    number,
    number,
    number,
  ];
  return dayOf(line) === dayOf(newest) && lastAt - at <= MAX_GAP_MS && newestAt - at <= MAX_SPAN_MS;
}

function dayOf({ seenAt, timeZone }: ShownLine): string {
  return toLocalDate(Date.parse(seenAt), timeZone);
}
