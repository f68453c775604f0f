import type { RecordAnswer } from '../../routes/record.ts';
import { api } from '../data/api.ts';
import { toPeriodAddress, toPersonAddress } from '../data/location.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { OutcomeMark } from '../parts/marks.tsx';
import { formatDate } from '../parts/moment.tsx';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { Table } from '../parts/table.tsx';
import { Told } from '../parts/told.tsx';
import { ChapterItem } from './chapter-item.tsx';
import { formatValue, nameField } from './values.ts';

const RELOAD_MS = 15_000;

interface RecordScreenProps {
  readonly id: string;
  readonly connection: string | null;
  /** Id of the one that it is opened at. */
  readonly event: string | null;
}

/** What happened to one timesheet or pay period, how it is known, and who heard of it. */
export function RecordScreen({ id, connection, event }: RecordScreenProps) {
  const { value, error } = useResource({
    key: `${connection ?? ''} ${id}`,
    load: () => api.record({ id, ...(connection === null ? {} : { connection }) }),
    everyMs: RELOAD_MS,
    followsEvents: true,
  });
  if (value === null)
    return (
      <div class="screen">
        <h1>{id}</h1>
        <Waiting error={error} doing="Reading its history" />
      </div>
    );
  if (value.found.length === 0) return <Unknown id={id} />;
  return (
    <div class="screen record">
      <OldNote error={error} />
      {value.found.map((found, index) => (
        <FoundRecord key={`${found.connection} ${found.feed}`} answer={value} index={index} event={event} />
      ))}
    </div>
  );
}

function Unknown({ id }: { readonly id: string }) {
  return (
    <div class="screen">
      <h1>{id}</h1>
      <Empty title="No such record">
        <p>
          The log of the last 90 days has no event of it, and no state of it is stored. A timesheet appears
          when its date comes into the window that is watched.
        </p>
      </Empty>
    </div>
  );
}

interface FoundRecordProps extends Pick<RecordScreenProps, 'event'> {
  readonly answer: RecordAnswer;
  readonly index: number;
}

function FoundRecord({ answer, index, event }: FoundRecordProps) {
  const found = answer.found[index] as RecordAnswer['found'][number];
  const note = answer.notes[index] as RecordAnswer['notes'][number];
  const { feed, record, chapters, state, connection, timeZone } = found;
  const isTimesheet = feed === 'timesheets';
  const date = typeof state?.date === 'string' ? formatDate(state.date) : null;
  const about = [note.department, date].filter((each) => each !== null).join(', ');
  return (
    <article>
      <div class="heading">
        <h1>
          <span class="kind">{isTimesheet ? 'Timesheet' : 'Pay period'}</span> {record}
        </h1>
        <p class="about">
          {note.employeeId === null ? null : (
            <a href={toPersonAddress(note.employeeId, connection)}>{note.employee ?? note.employeeId}</a>
          )}
          {note.employeeId === null || about === '' ? '' : ', '}
          {about}
        </p>
        {isTimesheet ? null : (
          <p class="about">
            <a href={toPeriodAddress(record, connection)}>Totals</a>
          </p>
        )}
      </div>
      <Stamps state={state} isTimesheet={isTimesheet} timeZone={timeZone} />
      <div class="actions">
        <Told receivers={note.chapters.flatMap(({ receivers }) => receivers)} />
        <details class="menu">
          <summary>Copy</summary>
          <div>
            <CopyButton label="As JSON" text={() => JSON.stringify(answer.found, null, 2)} />
            <CopyButton label="As command" text={() => note.command} />
            <CopyButton label="Command to send it again" text={() => note.send} />
            <CopyButton label="As curl" text={() => note.curl} />
          </div>
        </details>
      </div>
      <h2>What happened, newest first</h2>
      <Timeline chapters={chapters} notes={note.chapters} timeZone={timeZone} event={event} />
      <StateTable state={state} sequence={found.sequence} timeZone={timeZone} />
    </article>
  );
}

interface TimelineProps extends Pick<RecordScreenProps, 'event'> {
  readonly chapters: RecordAnswer['found'][number]['chapters'];
  readonly notes: RecordAnswer['notes'][number]['chapters'];
  readonly timeZone: string;
}

function Timeline({ chapters, notes, timeZone, event }: TimelineProps) {
  if (chapters.length === 0)
    return (
      <Empty title="Nothing was published about it yet">
        <p>It was stored as it was when it was first seen. Its next change appears here.</p>
      </Empty>
    );
  return (
    <ol class="timeline">
      {chapters
        .map((chapter, position) => (
          <ChapterItem
            key={chapter.event.id}
            chapter={chapter}
            isHere={event === chapter.event.id}
            note={notes[position]}
            timeZone={timeZone}
          />
        ))
        .reverse()}
    </ol>
  );
}

interface StateTableProps {
  readonly state: Readonly<Record<string, unknown>> | null;
  readonly sequence: number | null;
  readonly timeZone: string;
}

/** The values as they are stored now. */
function StateTable({ state, sequence, timeZone }: StateTableProps) {
  if (state === null) return null;
  const known = Object.entries(state);
  return (
    <details class="state">
      <summary>
        All stored values
        {sequence === null ? '' : `, after ${sequence} ${sequence === 1 ? 'event' : 'events'}`}
      </summary>
      <Table
        columns={[{ name: 'Field' }, { name: 'Value' }]}
        rows={known.map(([name, value]) => ({
          key: name,
          cells: [nameField(name), formatValue(value, timeZone)],
        }))}
      />
    </details>
  );
}

interface StampsProps {
  readonly state: Readonly<Record<string, unknown>> | null;
  readonly isTimesheet: boolean;
  readonly timeZone: string;
}

const STAMPS = ['clockIn', 'clockOut', 'approvedHours', 'approvedPayroll', 'processed'] as const;

/** How far it got. */
function Stamps({ state, isTimesheet, timeZone }: StampsProps) {
  if (state === null) return <p class="stamps gone">Not stored any more.</p>;
  if (!isTimesheet) {
    const closed = typeof state.closed === 'string';
    return (
      <dl class="stamps">
        <Stamp name={closed ? 'Closed' : 'Open'} isSet={closed} text={closed ? String(state.closed) : '–'} />
      </dl>
    );
  }
  const hours = typeof state.hoursToPay === 'number' ? `${state.hoursToPay} h` : '–';
  return (
    <dl class="stamps">
      <div>
        <dt>Hours to pay</dt>
        <dd class="number">{hours}</dd>
      </div>
      {STAMPS.map((name) => (
        <Stamp
          key={name}
          name={nameField(name)}
          isSet={state[name] !== null && state[name] !== undefined}
          text={formatValue(state[name], timeZone)}
        />
      ))}
    </dl>
  );
}

function Stamp({
  name,
  isSet,
  text,
}: {
  readonly name: string;
  readonly isSet: boolean;
  readonly text: string;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <OutcomeMark outcome={isSet ? 'good' : 'none'} /> {text}
      </dd>
    </div>
  );
}
