import { formatValue, nameField } from './values.ts';

interface StateTableProps {
  readonly state: Readonly<Record<string, unknown>> | null;
  readonly sequence: number | null;
  readonly timeZone: string;
}

/** The values as they are stored now. */
export function StateTable({ state, sequence, timeZone }: StateTableProps) {
  if (state === null) return null;
  const known = Object.entries(state);
  return (
    <details class="state">
      <summary>
        All stored values
        {sequence === null ? '' : `, after ${sequence} ${sequence === 1 ? 'event' : 'events'}`}
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {known.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{nameField(name)}</th>
              <td>{formatValue(value, timeZone)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
