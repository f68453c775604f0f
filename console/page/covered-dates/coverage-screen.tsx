import { useState } from 'preact/hooks';
import type { CoverageAnswer, DoctorAnswer, DoctorFinding } from '../../routes/coverage.ts';
import { api } from '../data/api.ts';
import { formatAge } from '../parts/clock.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Outcome, OutcomeMark } from '../parts/marks.tsx';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { DateCalendar } from './date-calendar.tsx';
import { PollCharts } from './poll-charts.tsx';

const RELOAD_MS = 5_000;

/** Whether nothing is missed: each date, the polls, and what the doctor finds. */
export function CoverageScreen({ date }: { readonly date: string | null }) {
  const { value, error } = useResource({ key: 'coverage', load: api.coverage, everyMs: RELOAD_MS });
  return (
    <div class="screen coverage">
      <div class="heading">
        <h1>Coverage</h1>
        {value === null ? null : <p class="about">Read {formatAge(value.readAt)}</p>}
      </div>
      <OldNote error={value === null ? null : error} />
      {value === null ? <Waiting error={error} /> : null}
      {value === null ? null : <Dates answer={value} date={date} />}
      {value === null ? null : <PollCharts polls={value.polls} />}
      <Findings />
    </div>
  );
}

function Dates({ answer, date }: { readonly answer: CoverageAnswer; readonly date: string | null }) {
  return (
    <>
      {answer.connections.map((each) => (
        <section key={each.connection} class="window" aria-label={`Dates of ${each.connection}`}>
          <h2>{answer.connections.length > 1 ? `Dates of ${each.connection}` : 'Dates'}</h2>
          {each.baselineAt === null ? (
            <Empty title="The baseline is being installed">
              <p>Each date appears when it was read completely for the first time.</p>
            </Empty>
          ) : null}
          <DateCalendar coverage={each} chosen={date} />
        </section>
      ))}
    </>
  );
}

const FINDINGS_RELOAD_MS = 60_000;
const MARKS: Readonly<Record<DoctorFinding['outcome'], Outcome>> = {
  ok: 'good',
  warning: 'wait',
  wrong: 'bad',
};
const RANK: readonly DoctorFinding['outcome'][] = ['wrong', 'warning', 'ok'];

/** What the doctor finds, with how to mend it. */
function Findings() {
  const [again, setAgain] = useState(0);
  const { value, error } = useResource({
    key: `doctor ${again}`,
    load: () => api.doctor(again > 0),
    everyMs: FINDINGS_RELOAD_MS,
  });
  return (
    <section class="findings">
      <div class="heading">
        <h2>Doctor</h2>
        {value === null ? null : <p class="about">Checked {formatAge(value.checkedAt)}</p>}
        <button type="button" class="quiet" onClick={() => setAgain(again + 1)}>
          Check again
        </button>
      </div>
      {value === null ? <Waiting error={error} doing="Checking" /> : <List answer={value} />}
    </section>
  );
}

function List({ answer: { findings } }: { readonly answer: DoctorAnswer }) {
  const sorted = findings.toSorted((a, b) => RANK.indexOf(a.outcome) - RANK.indexOf(b.outcome));
  const troubles = sorted.filter(({ outcome }) => outcome !== 'ok');
  const fine = sorted.filter(({ outcome }) => outcome === 'ok');
  return (
    <>
      {troubles.length === 0 ? <p class="fact">Nothing is wrong.</p> : null}
      <ul>
        {troubles.map((each) => (
          <Finding key={`${each.about} ${each.says}`} finding={each} />
        ))}
      </ul>
      <details>
        <summary>{fine.length === 1 ? '1 check is fine' : `${fine.length} checks are fine`}</summary>
        <ul>
          {fine.map((each) => (
            <Finding key={`${each.about} ${each.says}`} finding={each} />
          ))}
        </ul>
      </details>
    </>
  );
}

function Finding({ finding: { about, outcome, says, mend } }: { readonly finding: DoctorFinding }) {
  return (
    <li class="finding">
      <OutcomeMark outcome={MARKS[outcome]} />
      <div>
        <p>
          <strong>{about}</strong> {says}
        </p>
        {mend === null ? null : (
          <p class="mend">
            {mend} <CopyButton label="Copy" text={() => mend} />
          </p>
        )}
      </div>
    </li>
  );
}
