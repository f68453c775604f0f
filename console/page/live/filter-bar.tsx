import type { LineFilter } from '../../routes/lines.ts';
import { toAddress } from '../data/api.ts';
import { overview } from '../data/feed.ts';
import { navigate, place } from '../data/location.ts';
import { findWords, TYPE_CHOICES } from './words.ts';

const NAMES = ['type', 'department', 'calendar', 'late', 'connection'] as const;

/** The filter in an address. */
export function readFilter(query: URLSearchParams): LineFilter {
  const given = NAMES.flatMap((name) => {
    const value = query.get(name) ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given) as LineFilter;
}

/** The moment in an address; null when there is none, or what is there is none. */
export function readUntil(query: URLSearchParams): string | null {
  const until = query.get('until');
  return until === null || Number.isNaN(Date.parse(until)) ? null : until;
}

function change(name: (typeof NAMES)[number], value: string): void {
  const query = place.value.query;
  const next = { ...readFilter(query), until: query.get('until') ?? undefined, [name]: value };
  navigate(toAddress('/', next));
}

export function FilterBar() {
  const filter = readFilter(place.value.query);
  const known = overview.value;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <fieldset class="filters" aria-label="Filter">
      <TypeChoice value={filter.type ?? ''} onChoose={(type) => change('type', type)} />
      <Choice
        name="department"
        label="All departments"
        value={filter.department ?? ''}
        choices={(known?.departments ?? []).map(({ id, name }) => [id, name])}
      />
      <Choice
        name="calendar"
        label="All calendars"
        value={filter.calendar ?? ''}
        choices={(known?.calendars ?? []).map((name) => [name, name])}
      />
      {(known?.connections.length ?? 0) > 1 ? (
        <Choice
          name="connection"
          label="All connections"
          value={filter.connection ?? ''}
          choices={(known?.connections ?? []).map(({ name }) => [name, name])}
        />
      ) : null}
      <label class="check">
        <input
          type="checkbox"
          checked={filter.late === 'yes'}
          onChange={(event) => change('late', event.currentTarget.checked ? 'yes' : '')}
        />
        Late only
      </label>
      {isFiltered ? (
        <a href={toAddress('/', { until: place.value.query.get('until') ?? undefined })}>Clear</a>
      ) : null}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly name: 'department' | 'calendar' | 'connection';
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
}

function Choice({ name, label, value, choices }: ChoiceProps) {
  // A link may name what this page does not know.
  const shown =
    value === '' || choices.some(([id]) => id === value) ? choices : [...choices, [value, value] as const];
  if (shown.length === 0) return null;
  return (
    <select aria-label={name} value={value} onChange={(event) => change(name, event.currentTarget.value)}>
      <option value="">{label}</option>
      {shown.map(([id, text]) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface TypeChoiceProps {
  readonly value: string;
  readonly onChoose: (type: string) => void;
}

export function TypeChoice({ value, onChoose }: TypeChoiceProps) {
  const types = (overview.value?.types ?? []).filter((type) => /^(timesheet|pay_period)\./.test(type));
  const isListed =
    value === '' || types.includes(value) || TYPE_CHOICES.some(({ pattern }) => pattern === value);
  return (
    <select aria-label="Type" value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">Everything</option>
      {TYPE_CHOICES.map(({ label, pattern }) => (
        <option key={pattern} value={pattern}>
          {label}
        </option>
      ))}
      <optgroup label="One type">
        {types.map((type) => (
          <option key={type} value={type}>
            {type.startsWith('pay_period')
              ? `Pay period: ${findWords(type).one.toLowerCase()}`
              : findWords(type).one}
          </option>
        ))}
      </optgroup>
      {isListed ? null : <option value={value}>{value}</option>}
    </select>
  );
}
