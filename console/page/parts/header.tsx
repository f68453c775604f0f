import type { Refusal } from '../../routes/paths.ts';
import { type ConnectionState, connection, overview, status } from '../data/feed.ts';
import type { Screen } from '../data/location.ts';
import { companyNow } from './clock.ts';
import { Find } from './find.tsx';
import { isHelpOpen } from './keyboard.ts';
import { formatInstant } from './moment.tsx';

const LINKS: readonly { readonly screen: Screen; readonly to: string; readonly label: string }[] = [
  { screen: 'live', to: '/', label: 'Live' },
  { screen: 'periods', to: '/periods', label: 'Pay periods' },
  { screen: 'deliveries', to: '/deliveries', label: 'Deliveries' },
  { screen: 'coverage', to: '/coverage', label: 'Coverage' },
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
