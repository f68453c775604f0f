import { useState } from 'preact/hooks';
import type { CoveredPoll } from '../../routes/coverage.ts';
import { Moment } from '../parts/moment.tsx';
import { MEASURES } from './measures.ts';

interface PollTableProps {
  readonly polls: readonly CoveredPoll[];
  readonly zone: string;
}

/** The numbers of the charts, newest first, for whoever does not see them or wants them exact. */
export function PollTable({ polls, zone }: PollTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <table class="polls">
          <thead>
            <tr>
              <th scope="col">Ended</th>
              {MEASURES.map(({ label }) => (
                <th key={label} scope="col" class="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {polls.toReversed().map((poll) => (
              <tr key={poll.at}>
                <th scope="row">
                  <Moment at={poll.at} timeZone={zone} form="moment" />
                </th>
                {MEASURES.map(({ label, read, format }) => {
                  const value = read(poll);
                  return (
                    <td key={label} class="number">
                      {value === null ? '–' : format(value)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </details>
  );
}
