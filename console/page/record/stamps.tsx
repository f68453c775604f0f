import { OutcomeMark } from '../parts/marks.tsx';
import { formatValue, nameField } from './values.ts';

interface StampsProps {
  readonly state: Readonly<Record<string, unknown>> | null;
  readonly isTimesheet: boolean;
  readonly timeZone: string;
}

const STAMPS = ['clockIn', 'clockOut', 'approvedHours', 'approvedPayroll', 'processed'] as const;

/** How far it got. */
export function Stamps({ state, isTimesheet, timeZone }: StampsProps) {
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
