import { html } from 'hono/html';
import type { Chapter, ChapterNote, RecordAnswer } from '#console/answers/record.ts';
import { formatHours } from '#shared/people/messages/numbers.ts';
import { readable } from '#shared/terminal/readable-value.ts';
import { type Frame, showPage } from './layout.ts';
import {
  copyable,
  type Html,
  linkPerson,
  type Reading,
  sayDay,
  showCommand,
  showEmpty,
  showMoment,
  showTable,
  toPeriodAddress,
} from './parts.ts';
import { sayStep } from './person.ts';
import { showLate, toneOf } from './rows.ts';
import { showAttempts, showTold } from './told.ts';

type Found = RecordAnswer['found'][number];
type Note = RecordAnswer['notes'][number];

/** The history of a timesheet or pay period: what happened, who was told, and, folded, how it is known. */
export function showRecord(id: string, { found, notes }: RecordAnswer, frame: Frame): Html {
  if (found.length === 0) return showUnknown(id, frame);
  return showPage(
    id,
    frame,
    found.map((each, place) => {
      const note = notes[place];
      return note === undefined ? '' : showFound(each, note, toReading(each, frame));
    }),
  );
}

interface RecordReading extends Reading {
  readonly serviceName: string;
}

function toReading({ connection, timeZone }: Found, { status }: Frame): RecordReading {
  const own = status.connections.find((each) => each.connection === connection);
  return { now: status.now, timeZone, serviceName: own?.serviceName ?? 'the workforce service' };
}

function showUnknown(id: string, frame: Frame): Html {
  const why =
    'A timesheet appears when its date comes into the window that is read, a pay period with the list of them. What was deleted long ago is not kept.';
  return showPage(id, frame, html`<h1>${id}</h1>${showEmpty('Nothing is known of this id', why)}`);
}

function showFound(found: Found, note: Note, reading: RecordReading): Html {
  const chapters = found.chapters.map((chapter, place) =>
    showChapter(chapter, note.chapters[place], reading),
  );
  return html`<div class="title"><h1>${showTitle(found, note, reading)}</h1> <small>${found.record}</small></div>
${showPresent(found, note)}
${chapters.length === 0 ? showEmpty('Nothing has happened to it', 'It was there when the notifier first looked, which is told to nobody, and has not changed since.') : ''}
<ol class="chapters">${chapters.toReversed()}</ol>
<details><summary>What is stored, and commands</summary>
${showState(found, reading)}
${showCommand(note.command)}${showCommand(note.send)}${showCommand(note.curl)}
<p>${copyable(JSON.stringify([found], null, 2), 'Copy all of it as JSON')}</p></details>`;
}

function showTitle({ record, connection }: Found, note: Note, reading: Reading): Html {
  const { employeeId, period, date } = note;
  if (period !== null) return html`<a href="${toPeriodAddress(record, { connection })}">${period}</a>`;
  if (employeeId === null) return html`${record}`;
  return html`${linkPerson({ ...note, connection })}${date === null ? '' : `, ${sayDay(date, reading)}`}`;
}

/** `Sample Kitchen, 7.5 h, approved`. */
function showPresent({ feed, state }: Found, { department }: Note): Html | '' {
  const present = feed === 'timesheets' && state !== null ? [sayHours(state), sayStep(toSteps(state))] : [];
  const said = [department, ...present].filter((each) => each !== null);
  return said.length === 0 ? '' : html`<p class="state">${said.join(', ')}</p>`;
}

type State = NonNullable<Found['state']>;

function sayHours({ hoursToPay }: State): string | null {
  return typeof hoursToPay === 'number' ? formatHours(hoursToPay) : null;
}

function toSteps({ approvedHours, approvedPayroll, processed }: State) {
  const [approved, payrollApproved, isProcessed] = [approvedHours, approvedPayroll, processed].map(
    (stamp) => stamp != null,
  ) as [boolean, boolean, boolean];
  return { approved, payrollApproved, processed: isProcessed };
}

function showState({ state }: Found, reading: Reading): Html | '' {
  if (state === null) return html`<p class="state">Nothing is stored of it any more.</p>`;
  const context = { timeZone: reading.timeZone, day: null };
  const rows = Object.entries(state).map(([name, value]) => [nameField(name), readable(value, context)]);
  return showTable('What is stored', [{ name: 'Field' }, { name: 'Value' }], rows);
}

function showChapter(
  { event, published }: Chapter,
  note: ChapterNote | undefined,
  reading: RecordReading,
): Html {
  const { observed, late } = event.data;
  const receivers = note?.receivers ?? [];
  return html`<li class="chapter" id="${event.id}" data-event="${event.id}"><p class="when">${showMoment(observed.by, reading)}</p><i class="dot ${toneOf(event.type)}"></i>
<div><p>${note?.says} ${showLate(late)}</p>
${published ? showTold(receivers, reading) : html`<p class="told">Committed, and published within a minute.</p>`}
<details><summary>How it is known</summary>
<p>${sayObserved({ event }, reading)}</p>
${showChanges({ event }, reading)}
<ul>${showAttempts(receivers, reading)}</ul>
<p><span class="id">${event.type}, no. ${event.sequence}, ${event.id}</span> ${copyable(event.id, 'Copy the id')} ${copyable(JSON.stringify(event, null, 2), 'Copy the event')}</p>
</details></div></li>`;
}

type OfEvent = Pick<Chapter, 'event'>;

/** Between which two reads it happened, and whether the service says when. */
function sayObserved({ event }: OfEvent, reading: RecordReading): Html {
  const { observed, occurredAt } = event.data;
  const by = html`seen ${showMoment(observed.by, reading)} in ${reading.serviceName}`;
  const said =
    occurredAt == null ? 'which does not say when' : html`which says ${showMoment(occurredAt, reading)}`;
  if (observed.after === null) return html`First ${by}, ${said}.`;
  return html`Not there yet ${showMoment(observed.after, reading)}, ${by}, ${said}.`;
}

function showChanges({ event }: OfEvent, { timeZone }: Reading): Html | '' {
  const { changed, previous, current } = event.data;
  const rows = changed.map((name) => [
    nameField(name),
    ...[previous, current].map((state) => readable(state?.[name], { timeZone, day: null })),
  ]);
  return rows.length === 0
    ? ''
    : showTable('Changed', [{ name: 'Field' }, { name: 'Before' }, { name: 'After' }], rows);
}

/** `hoursToPay` as `Hours to pay`. */
function nameField(name: string): string {
  const words = name.replaceAll(
    /([a-z])([A-Z])/g,
    (_, left: string, right: string) => `${left} ${right.toLowerCase()}`,
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}
