import { useEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../../routes/find.ts';
import type { Refusal } from '../../routes/paths.ts';
import { api } from '../data/api.ts';
import { type ConnectionState, connection, overview, status } from '../data/feed.ts';
import { navigate, place, type Screen } from '../data/location.ts';
import { companyNow } from './clock.ts';
import { isHelpOpen } from './keyboard.ts';
import { formatInstant } from './moment.tsx';

const LINKS: readonly { readonly screen: Screen; readonly to: string; readonly label: string }[] = [
  { screen: 'live', to: '/', label: 'Live' },
  { screen: 'periods', to: '/periods', label: 'Pay periods' },
  { screen: 'deliveries', to: '/deliveries', label: 'Deliveries' },
];

export function Header({ screen }: { readonly screen: Screen }) {
  return (
    <header class="top">
      <a class="brand" href="/">
        <img src="/icon.svg" alt="" width="20" height="20" />
        <span>{overview.value?.stackName ?? 'Notifier'}</span>
      </a>
      <nav aria-label="Screens">
        {LINKS.map((link) => (
          <a key={link.to} href={link.to} aria-current={link.screen === screen ? 'page' : undefined}>
            {link.label}
          </a>
        ))}
      </nav>
      <Find />
      <Clock />
      <button
        type="button"
        class="quiet help"
        aria-label="Help: keys"
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        ?
      </button>
      <Trouble />
    </header>
  );
}

const STATES: Readonly<Record<ConnectionState, string>> = {
  connecting: 'Connecting',
  live: 'Connected',
  lost: 'Connection lost',
  denied: 'Not signed in',
};

/** The clock of the notifier, and whether the page hears of what happens. */
function Clock() {
  const now = companyNow.value;
  const zone = overview.value?.connections[0]?.timeZone ?? 'UTC';
  const speed = status.value?.value.speed ?? 1;
  const state = connection.value;
  return (
    <p class={`clock ${state}`}>
      <span class="dot" aria-hidden="true" />
      <span role="status" class="state">
        {STATES[state]}
      </span>
      {now === null ? null : (
        <span class="now" title={`${zone}${speed === 1 ? '' : `, ${speed} times as fast as real time`}`}>
          {formatInstant(now, zone, 'moment')}
          {speed === 1 ? null : <span class="speed"> {speed}×</span>}
        </span>
      )}
    </p>
  );
}

function Trouble() {
  const reason = status.value?.value.trouble ?? null;
  const isStopped = overview.value?.isStopped === true;
  if (connection.value === 'lost')
    return (
      <p class="banner" role="alert">
        The console does not answer. What is shown is as it was; this page connects again by itself.
      </p>
    );
  if (reason !== null)
    return (
      <p class="banner" role="alert">
        The event log cannot be read now ({reason}). What is shown is old; the console tries again.
      </p>
    );
  if (!isStopped) return null;
  return <p class="banner calm">Nothing is running on {overview.value?.title}: this is how it was left.</p>;
}

const REASONS: Readonly<Record<Refusal, readonly [heading: string, sentence: string]>> = {
  address_needed: [
    'This address is incomplete',
    'The console was not opened in this browser, and the part behind # is missing.',
  ],
  address_wrong: ['This address is wrong', 'Its token is of another console, or was not copied whole.'],
  address_used: ['This address was used already', 'Each address opens the console once.'],
  address_expired: ['This address is too old', 'An address that nobody opened is valid for ten minutes.'],
  session_ended: ['This session has ended', 'It lasts for a day, and until the console is stopped.'],
};

export function Denied({ why }: { readonly why: Refusal }) {
  const [heading, sentence] = REASONS[why];
  return (
    <div class="empty">
      <h1>{heading}</h1>
      <p>
        {sentence} Run <code>npm run notifier -- console</code>, with the same options, and open the address
        that it prints; <code>npm start</code> prints one too.
      </p>
    </div>
  );
}

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
function Find() {
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
