import { useState } from 'preact/hooks';
import type { DoctorAnswer, DoctorFinding } from '../../routes/doctor.ts';
import { api } from '../data/api.ts';
import { formatAge } from '../parts/clock.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Outcome, OutcomeMark } from '../parts/marks.tsx';
import { useResource } from '../parts/resource.ts';

const RELOAD_MS = 60_000;
const MARKS: Readonly<Record<DoctorFinding['outcome'], Outcome>> = {
  ok: 'good',
  warning: 'wait',
  wrong: 'bad',
};

/** What the doctor finds, with how to mend it. */
export function Health() {
  const [again, setAgain] = useState(0);
  const { value, error } = useResource({
    key: `doctor ${again}`,
    load: () => api.doctor(again > 0),
    everyMs: RELOAD_MS,
  });
  return (
    <section class="health" aria-label="Health">
      <div class="heading">
        <h2>Health</h2>
        <p class="about">
          {value === null ? (error ?? 'Checking') : `Checked ${formatAge(value.checkedAt)}`}
        </p>
        <button type="button" class="quiet" onClick={() => setAgain(again + 1)}>
          Check again
        </button>
      </div>
      {value === null ? null : <Findings answer={value} />}
    </section>
  );
}

function Findings({ answer: { findings } }: { readonly answer: DoctorAnswer }) {
  const of = (outcome: DoctorFinding['outcome']) => findings.filter((each) => each.outcome === outcome);
  const troubles = [...of('wrong'), ...of('warning')];
  const fine = of('ok');
  return (
    <>
      {troubles.length === 0 ? <p class="fact">Nothing is wrong.</p> : <List findings={troubles} />}
      <details>
        <summary>{fine.length === 1 ? '1 check is fine' : `${fine.length} checks are fine`}</summary>
        <List findings={fine} />
      </details>
    </>
  );
}

function List({ findings }: { readonly findings: readonly DoctorFinding[] }) {
  return (
    <ul>
      {findings.map(({ about, outcome, says, mend }) => (
        <li key={`${about} ${says}`} class="finding">
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
      ))}
    </ul>
  );
}
