import { html } from 'hono/html';
import type { Status } from '#console/answers/status.ts';
import { isDate, toLocalDate, toLocalTime } from '#shared/core/dates.ts';
import { formatDay, formatStamp } from '#shared/people/messages/moments.ts';
import { formatDuration } from '#shared/people/messages/numbers.ts';

export type Html = ReturnType<typeof html>;

/** When and where a page is read. */
export interface Reading {
  /** In milliseconds since 1970, by the clock of the notifier. */
  readonly now: number;
  readonly timeZone: string;
}

/** An instant as a time of day, or with its day where that is another one than today. */
export function showMoment(at: string, reading: Reading): Html {
  return html`<time datetime="${at}" title="${sayWhole(at, reading)}">${formatStamp(at, toContext(reading))}</time>`;
}

/** `16:36`. */
export function showTime(at: string, reading: Reading): Html {
  const time = toLocalTime(Date.parse(at), reading.timeZone);
  return html`<time datetime="${at}" title="${sayWhole(at, reading)}">${time}</time>`;
}

function sayWhole(at: string, { timeZone }: Reading): string {
  return `${formatStamp(at, { timeZone, year: null, day: null })} ${timeZone}, ${at}`;
}

export function toContext({ now, timeZone }: Reading) {
  const day = toLocalDate(Math.floor(now), timeZone);
  return { timeZone, day, year: day.slice(0, 4) };
}

/** `Fri 20 Nov`; of no date a dash. */
export function sayDay(date: string | null, reading: Reading): string {
  if (date === null) return '–';
  return isDate(date) ? formatDay(date, toContext(reading)) : date;
}

/** `just now`, `8 s ago`, `12 min ago`, `3 h ago`, `2 days ago`: in the time of whoever reads it. */
export function sayAge(instant: number, { now, speed }: Pick<Status, 'now' | 'speed'>): string {
  const seconds = (now - instant) / 1_000 / speed;
  return seconds < 5 ? 'just now' : `${formatDuration(seconds)} ago`;
}

type Query = Readonly<Record<string, string | undefined>>;

/** An address below the place of the console, with what of a query is there. */
export function toAddress(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given as [string, string][]).toString();
  return search === '' ? path : `${path}?${search}`;
}

interface Place {
  readonly connection: string;
}

export function toRecordAddress(id: string, { connection }: Place, eventId = ''): string {
  const address = toAddress(`records/${encodeURIComponent(id)}`, { connection });
  return eventId === '' ? address : `${address}#${encodeURIComponent(eventId)}`;
}

export function toPeriodAddress(id: string, { connection }: Place): string {
  return toAddress(`periods/${encodeURIComponent(id)}`, { connection });
}

export function toPersonAddress(id: string, { connection }: Place): string {
  return `people/${encodeURIComponent(connection)}/${encodeURIComponent(id)}`;
}

interface Owner extends Place {
  readonly employeeId: string | null;
  readonly employee: string | null;
}

/** The name of a person, which leads to all of theirs. */
export function linkPerson({ employeeId, employee, ...place }: Owner): Html {
  if (employeeId === null) return html`–`;
  const name = employee ?? `Employee ${employeeId}`;
  return html`<a href="${toPersonAddress(employeeId, place)}">${name}</a>`;
}

/** A text that a click copies. */
export function copyable(text: string, label = 'Copy'): Html {
  return html`<button type="button" class="copy" data-copy="${text}">${label}</button>`;
}

/** A command, to be copied. */
export function showCommand(text: string): Html {
  return html`<p class="command"><code>${text}</code> ${copyable(text)}</p>`;
}

/** What a page shows where it has nothing. */
export function showEmpty(title: string, text: unknown): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${text}</p></div>`;
}

export interface Column {
  readonly name: string;
  /** Numbers stand below each other, what is short stays on one line. */
  readonly kind?: 'number' | 'short';
}

/** A table that scrolls by itself where it is wider than the window. */
export function showTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
): Html {
  const kind = (place: number) => columns[place]?.kind ?? '';
  return html`<div class="wide" tabindex="0" role="group" aria-label="${caption}"><table>
<thead><tr>${columns.map(({ name }, place) => html`<th scope="col" class="${kind(place)}">${name}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, place) => html`<td class="${kind(place)}">${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A choice of a form, sent when it changes. */
export function showSelect(
  name: string,
  label: string,
  chosen: string | undefined,
  choices: readonly Choice[],
): Html {
  return html`<select name="${name}" aria-label="${label}">${choices.map(({ value, label: text }) =>
    value === (chosen ?? '')
      ? html`<option value="${value}" selected>${text}</option>`
      : html`<option value="${value}">${text}</option>`,
  )}</select>`;
}
