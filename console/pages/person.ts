import { html } from 'hono/html';
import type { PersonAnswer, PersonChange, PersonTimesheet } from '#console/answers/person.ts';
import { formatDates } from '#shared/people/messages/moments.ts';
import { formatCount, formatHours } from '#shared/people/messages/numbers.ts';
import { type Frame, showPage } from './layout.ts';
import {
  type Html,
  type Reading,
  sayDay,
  showEmpty,
  showMoment,
  showTable,
  toContext,
  toRecordAddress,
} from './parts.ts';
import { showLate, toneOf } from './rows.ts';
import { showTold } from './told.ts';

export interface PersonPlace {
  readonly id: string;
  readonly connection: string;
}

/** A person: the timesheets of this pay period and the last one, what happened to them, and who was told. */
export function showPerson(place: PersonPlace, answer: PersonAnswer, frame: Frame): Html {
  const { name, timesheets, changes, timeZone } = answer;
  const reading = { ...frame.status, timeZone };
  const title = name ?? `Employee ${place.id}`;
  const dates = formatDates(answer.from, answer.to, toContext(reading));
  return showPage(
    title,
    frame,
    html`<div class="title"><h1>${title}</h1> <small>${place.id}</small></div>
<p class="state">${dates}: these pay periods and the last ones</p>
<h2>Timesheets <small>${sumUp(timesheets)}</small></h2>
${timesheets.length === 0 ? showEmpty('No timesheets', 'None of these dates has a timesheet of this id.') : showTimesheets(timesheets, { place, reading })}
<h2>What happened</h2>
${changes.length === 0 ? html`<p class="state">Nothing since ${showMoment(answer.since, reading)}.</p>` : ''}
<ol class="chapters">${changes.map((each) => showChange(each, reading))}</ol>`,
  );
}

function sumUp(timesheets: readonly PersonTimesheet[]): string {
  const sum = (sheets: readonly PersonTimesheet[]) =>
    formatHours(sheets.reduce((total, { hours }) => total + hours, 0));
  const open = timesheets.filter((each) => !isReady(each));
  const left = open.length === 0 ? '' : `, ${sum(open)} of it not approved`;
  return `${formatCount(timesheets.length, 'timesheet')}, ${sum(timesheets)}${left}`;
}

function isReady({ approved, processed }: PersonTimesheet): boolean {
  return approved || processed;
}

interface Shown {
  readonly place: PersonPlace;
  readonly reading: Reading;
}

function showTimesheets(timesheets: readonly PersonTimesheet[], { place, reading }: Shown): Html {
  const rows = timesheets.map((each) => [
    sayDay(each.date, reading),
    each.department ?? each.departmentId ?? '–',
    formatHours(each.hours),
    sayStep(each),
    html`<a class="id" href="${toRecordAddress(each.id, place)}">${each.id}</a>`,
  ]);
  const columns = [
    { name: 'Date', kind: 'short' },
    { name: 'Department' },
    { name: 'Hours', kind: 'number' },
    { name: 'State', kind: 'short' },
    { name: 'Timesheet' },
  ] as const;
  return showTable('Timesheets', columns, rows);
}

/** How far a timesheet has come. */
export function sayStep({
  approved,
  payrollApproved,
  processed,
}: Pick<PersonTimesheet, 'approved' | 'payrollApproved' | 'processed'>): string {
  if (processed) return 'processed';
  if (payrollApproved) return 'approved for payroll';
  return approved ? 'approved' : 'not approved';
}

function showChange(change: PersonChange, reading: Reading): Html {
  const { record, date, says, late, type, receivers } = change;
  const day = sayDay(date, reading);
  return html`<li class="chapter" data-event="${change.id}"><p class="when">${showMoment(change.seenAt, reading)}</p><i class="dot ${toneOf(type)}"></i>
<div><p>${record === null ? day : html`<a href="${toRecordAddress(record, change, change.id)}">${day}</a>`}: ${says} ${showLate(late)}</p>
${showTold(receivers, reading)}</div></li>`;
}
