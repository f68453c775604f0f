import { useEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../../routes/find.ts';
import { api } from '../data/api.ts';
import { navigate, place } from '../data/location.ts';

/** Between the last key and the request. */
const PAUSE_MS = 120;
const KINDS: Readonly<Record<Suggestion['kind'], string>> = {
  person: 'Person',
  timesheet: 'Timesheet',
  period: 'Pay period',
  department: 'Department',
  date: 'Date',
  receiver: 'Receiver',
};

/** What was found, for the text that was asked for. */
interface Found {
  readonly text: string;
  readonly suggestions: readonly Suggestion[];
}

const NOTHING: Found = { text: '', suggestions: [] };

/** A search over people, timesheets, pay periods, departments, dates and receivers; an unknown id opens its record. */
export function Find() {
  const field = useRef<HTMLInputElement>(null);
  const { text, type, active, shown, press, isUnknown } = useSearch();
  useEffect(() => {
    type('');
    field.current?.blur();
  }, [place.value]);
  return (
    <search>
      <input
        id="find"
        ref={field}
        type="text"
        role="combobox"
        aria-label="Find a person, timesheet, pay period, department, date or channel"
        aria-expanded={shown.length > 0}
        aria-controls="found"
        aria-autocomplete="list"
        aria-activedescendant={shown.length > 0 ? `found-${active}` : undefined}
        placeholder="Find anybody, anything  /"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
        onBlur={() => type('')}
      />
      <div class="found" hidden={shown.length === 0 && !isUnknown}>
        <Suggestions suggestions={shown} active={active} />
        {isUnknown ? (
          <p class="label" role="status">
            Nobody and nothing of that name. Enter opens the record with this id.
          </p>
        ) : null}
      </div>
    </search>
  );
}

/** The text, what it suggests, and what the keys do. */
function useSearch() {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const wanted = text.trim();
  const { found, ask } = useSuggestions(wanted);
  const isCurrent = found.text === wanted && wanted !== '';
  const shown = wanted === '' ? [] : found.suggestions;
  const type = (next: string) => {
    setText(next);
    setActive(0);
  };
  const openBest = async () => {
    if (wanted === '') return;
    const { suggestions } = isCurrent ? found : await ask();
    const best = suggestions[Math.min(active, suggestions.length - 1)];
    navigate(best?.to ?? `/records/${encodeURIComponent(wanted)}`);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void openBest();
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Escape' && wanted !== '') {
      event.preventDefault();
      type('');
    }
    if (by === 0 || shown.length === 0) return;
    event.preventDefault();
    setActive((active + by + shown.length) % shown.length);
  };
  return { text, type, active, shown, press, isUnknown: isCurrent && shown.length === 0 };
}

interface SuggestionsProps {
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
}

function Suggestions({ suggestions, active }: SuggestionsProps) {
  return (
    <div id="found" role="listbox" aria-label="Suggestions" hidden={suggestions.length === 0}>
      {suggestions.map(({ kind, to, title, note }, index) => (
        <a
          key={`${kind} ${to}`}
          id={`found-${index}`}
          role="option"
          href={to}
          tabIndex={-1}
          aria-selected={index === active}
          // The field keeps the focus, and with it what it suggests.
          onPointerDown={(event) => event.preventDefault()}
        >
          <span class="kind">{kind === suggestions[index - 1]?.kind ? '' : KINDS[kind]}</span>
          <span class="title">{title}</span> <span class="label">{note}</span>
        </a>
      ))}
    </div>
  );
}

/** What a text finds, a moment after it was typed; meanwhile what the one before it found. */
function useSuggestions(wanted: string): { readonly found: Found; readonly ask: () => Promise<Found> } {
  const [found, setFound] = useState<Found>(NOTHING);
  const ask = async (): Promise<Found> => {
    const { suggestions } = await api.find(wanted).catch(() => NOTHING);
    return { text: wanted, suggestions };
  };
  useEffect(() => {
    if (wanted === '') {
      setFound(NOTHING);
      return;
    }
    let isWanted = true;
    const timer = window.setTimeout(async () => {
      const answer = await ask();
      if (isWanted) setFound(answer);
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      window.clearTimeout(timer);
    };
  }, [wanted]);
  return { found, ask };
}
