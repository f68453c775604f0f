import type { CoverageAnswer } from '../../routes/coverage.ts';
import { api } from '../data/api.ts';
import { formatAge } from '../parts/clock.ts';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { DateCalendar } from './date-calendar.tsx';
import { Findings } from './findings.tsx';
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
