import { html } from 'hono/html';
import type { ChangedRow, PeriodAnswer, PeriodRow, PeriodsAnswer } from '#console/answers/periods.ts';
import { formatPeople } from '#shared/people/messages/account-sentences.ts';
import { formatChange, formatCount, formatHours, formatNumber } from '#shared/people/messages/numbers.ts';
import { capitalize } from '#shared/people/messages/wording.ts';
import { type Frame, showPage } from './layout.ts';
import {
  type Column,
  type Html,
  linkPerson,
  type Reading,
  sayDay,
  showCommand,
  showEmpty,
  showMoment,
  showTable,
  toAddress,
  toPeriodAddress,
  toRecordAddress,
} from './parts.ts';

/** The pay periods of now: what is to be paid or checked first. */
export function showPeriods({ periods, troubles }: PeriodsAnswer, frame: Frame): Html {
  const [watched = [], before = []] = [true, false].map((isSo) =>
    periods.filter(({ wasWatched }) => wasWatched === isSo),
  );
  const several = new Set(periods.map(({ connection }) => connection)).size > 1;
  return showPage(
    'Pay periods',
    frame,
    html`<h1>Pay periods</h1>
${troubles.map((text) => html`<p class="doubt">${text}</p>`)}
${
  periods.length === 0 && troubles.length === 0
    ? showEmpty(
        'No pay period yet',
        'The first read of the list of pay periods fills this page, within a minute.',
      )
    : html`<ol class="periods">${watched.map((row) => showPeriodRow(row, several, frame.status))}</ol>`
}
${before.length === 0 ? '' : html`<p class="state">Closed before they were watched: ${joinTitles(before)}.</p>`}`,
  );
}

function joinTitles(rows: readonly PeriodRow[]): Html[] {
  return rows.map(
    (row, index) =>
      html`${index === 0 ? '' : ', '}<a href="${toPeriodAddress(row.id, row)}">${row.title}</a>`,
  );
}

/** The sentence of its account first: whether to pay, or why not. */
function showPeriodRow(row: PeriodRow, several: boolean, reading: Reading): Html {
  return html`<li class="period ${row.state}">
<div><p class="verdict ${toneOf(row)}">${row.verdict}</p>
<h2><a href="${toPeriodAddress(row.id, row)}">${row.title}</a> <small>${row.id}${several ? ` of ${row.connection}` : ''}</small></h2>
<p class="state">${capitalize(row.stateSays)}${row.agreement === null ? '' : `, ${row.agreement}`}${sayOpen(row)}</p>
${showAge(row, reading)}</div>
${showFigures(row)}
</li>`;
}

function toneOf({ isToPay, state, reserves }: PeriodRow): string {
  if (isToPay) return state === 'settled' ? 'calm' : 'done';
  return state === 'open' && reserves.length === 0 ? 'calm' : 'watch';
}

/** What changed since it was told, and no processing has covered. */
function sayOpen({ open }: PeriodRow): string {
  return open === null || open.timesheets === 0 ? '' : `, still to be settled: ${open.says}`;
}

function showAge({ isOld, countedAt }: PeriodRow, reading: Reading): Html | '' {
  if (!isOld || countedAt === null) return '';
  return html`<p class="doubt">Counted ${showMoment(countedAt, reading)}, and not read since: these figures are old.</p>`;
}

function showFigures({ ready, notReady, hours, timesheets, people }: PeriodRow): Html {
  const figure = (value: string, label: string, note: string) =>
    html`<div><dt>${label}</dt><dd>${value}</dd><dd>${note}</dd></div>`;
  return html`<dl class="figures">
${figure(formatHours(ready.hours), 'Ready', formatCount(ready.timesheets, 'timesheet'))}
${figure(formatHours(notReady.hours), 'Not approved', formatCount(notReady.timesheets, 'timesheet'))}
${figure(formatHours(hours), 'Total', `${formatCount(timesheets, 'timesheet')}, ${formatPeople(people)}`)}
</dl>`;
}

/** One pay period: its sentence, what of it is in doubt, whose hours are not ready, what changed, what it was told as. */
export function showPeriod(answer: PeriodAnswer, frame: Frame): Html {
  const { row } = answer;
  const reading = { ...frame.status, timeZone: row.timeZone };
  return showPage(
    row.title,
    frame,
    html`<div class="title"><h1>${row.title}</h1> <small>${row.id}</small></div>
<p class="verdict ${toneOf(row)}">${row.verdict}</p>
<p class="state">${capitalize(row.stateSays)}${row.agreement === null ? '' : `, ${row.agreement}`}${sayOpen(row)}</p>
${showAge(row, reading)}
${row.reserves.map((reserve) => html`<p class="doubt">In doubt: ${reserve}.</p>`)}
${showFigures(row)}
<p class="files">${linkFile(row, 'pay', 'What to pay')} ${linkFile(row, 'left-over', isClosed(row) ? 'What is left over' : 'What is not approved')}</p>
${showDepartments(answer)}
${showLeftOver(answer, reading)}
${showChanges(row, reading)}
${showTold(answer, reading)}
<details><summary>How it is known</summary>
<p><a href="${toRecordAddress(row.id, row)}">Every event of this pay period</a>, with who was told.</p>
${showCommand(row.command)}</details>`,
  );
}

const DOWNLOAD = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11"/></svg>`;

function linkFile({ id, connection }: PeriodRow, file: string, label: string): Html {
  const address = toAddress(`periods/${encodeURIComponent(id)}/${file}.csv`, { connection });
  return html`<a class="file" href="${address}" download>${DOWNLOAD}${label} <small>CSV</small></a>`;
}

function isClosed({ state }: PeriodRow): boolean {
  return state === 'closed' || state === 'settled';
}

const LEFT_OVER: readonly Column[] = [
  { name: 'Person' },
  { name: 'Department' },
  { name: 'Date', kind: 'short' },
  { name: 'Hours', kind: 'number' },
  { name: 'Missing' },
  { name: 'Timesheet' },
];

/** Left over is what a closing leaves; before it, the same timesheets are not approved yet. */
function showLeftOver({ left, leftOver, row }: PeriodAnswer, reading: Reading): Html {
  const title = isClosed(row) ? 'Left over' : 'Not approved yet';
  if (left === 0) return html`<h2>${title}</h2><p class="state">Nothing.</p>`;
  const rows = leftOver.map((each) => [
    linkPerson({ ...each, connection: row.connection }),
    each.department ?? each.departmentId ?? '–',
    sayDay(each.date, reading),
    formatHours(each.hours),
    each.missing,
    linkTimesheet(each.timesheetId, row),
  ]);
  return html`<h2>${title} <small>${formatNumber(left)}</small></h2>
${showTable(title, LEFT_OVER, rows)}${showMore(left - leftOver.length)}`;
}

function linkTimesheet(id: string, row: PeriodRow): Html {
  return html`<a class="id" href="${toRecordAddress(id, row)}">${id}</a>`;
}

function showMore(more: number): Html | '' {
  return more > 0 ? html`<p class="state">And ${formatNumber(more)} more, which the files have.</p>` : '';
}

const DEPARTMENTS: readonly Column[] = [
  { name: 'Department' },
  { name: 'Ready', kind: 'number' },
  { name: 'Not approved', kind: 'number' },
  { name: 'Timesheets', kind: 'number' },
  { name: 'To approve', kind: 'number' },
  { name: 'To process', kind: 'number' },
];

function showDepartments({ departments, row }: PeriodAnswer): Html {
  const rows = departments.map(({ departmentId, department, ready, notReady, timesheets, unprocessed }) => [
    departmentId === null
      ? 'No department'
      : html`<a href="${toAddress('now', { department: departmentId, connection: row.connection })}">${department ?? departmentId}</a>`,
    ...[ready.hours, notReady.hours].map((hours) => (hours === 0 ? '–' : formatHours(hours))),
    ...[timesheets, notReady.timesheets, unprocessed].map((count) =>
      count === 0 ? '–' : formatNumber(count),
    ),
  ]);
  return html`<h2>By department</h2>${showTable('By department', DEPARTMENTS, rows)}`;
}

const CHANGED: readonly Column[] = [
  { name: 'Person' },
  { name: 'Date', kind: 'short' },
  { name: 'Was', kind: 'number' },
  { name: 'Now', kind: 'number' },
  { name: 'Difference', kind: 'number' },
  { name: 'Why' },
  { name: 'Timesheet' },
];

/** Since it was told; all of it is in the figures. */
function showChanges(row: PeriodRow, reading: Reading): Html | '' {
  const { changes, state } = row;
  if (state === 'open') return '';
  if (changes === null)
    return html`<h2>Changed</h2><p class="state">What changed since it was told is not known.</p>`;
  const since = html`since ${showMoment(changes.since, reading)}`;
  if (changes.timesheets === 0) return html`<h2>Changed</h2><p class="state">Nothing ${since}.</p>`;
  const said = `${formatChange(changes.hours)} in ${formatCount(changes.timesheets, 'timesheet')}`;
  return html`<h2>Changed</h2><p class="state">${said} ${since}: in the figures above already, not to be added.</p>
${showTable(
  'Changed',
  CHANGED,
  changes.listed.map((each) => toChangedCells(each, row, reading)),
)}
${showMore(changes.timesheets - changes.listed.length)}`;
}

function toChangedCells(changed: ChangedRow, row: PeriodRow, reading: Reading): unknown[] {
  const { timesheetId, date, was, now, difference, why, isOpen } = changed;
  return [
    linkPerson({ ...changed, connection: row.connection }),
    sayDay(date, reading),
    ...[was, now].map((hours) => (hours === null ? '–' : formatHours(hours))),
    formatChange(difference),
    isOpen ? `${why}, not processed since` : why,
    linkTimesheet(timesheetId, row),
  ];
}

function showTold({ told }: PeriodAnswer, reading: Reading): Html | '' {
  if (told.length === 0) return '';
  return html`<h2>Told as</h2><ul class="told-as">${told.map(
    ({ time, moment, counted }) =>
      html`<li>${capitalize(moment)} ${showMoment(time, reading)}: ${
        counted === null ? 'not counted' : `${formatHours(counted.ready.hours)} ready. ${counted.verdict}`
      }</li>`,
  )}</ul>`;
}
