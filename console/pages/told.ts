import { html } from 'hono/html';
import type { ReceiverOutcome } from '#console/answers/record.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { type Html, type Reading, showMoment } from './parts.ts';

type Outcome = ReceiverOutcome['outcome'];

/** How each outcome is called of a system; what needs somebody first. */
export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  failed: 'given up',
  waiting: 'waiting',
  untried: 'not yet tried',
  queued: 'in its queue',
  delivered: 'accepted',
};
const ORDER = Object.keys(OUTCOMES);

const TONES: Readonly<Record<Outcome, string>> = {
  failed: 'undone',
  waiting: 'watch',
  untried: 'calm',
  queued: 'calm',
  delivered: 'done',
};

export function showOutcome(outcome: Outcome): Html {
  return html`<span class="${TONES[outcome]}">${OUTCOMES[outcome]}</span>`;
}

/** Who was told of an event, and when: `Told #payroll 10:02, payroll-system accepted 10:02`. */
export function showTold(receivers: readonly ReceiverOutcome[], reading: Reading): Html {
  if (receivers.length === 0) return html`<p class="told">Nobody was to be told.</p>`;
  const sorted = receivers.toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
  return html`<p class="told">Told ${sorted.map((each, place) => html`${place === 0 ? '' : ', '}${showReceiver(each, reading)}`)}</p>`;
}

function showReceiver({ name, outcome, at }: ReceiverOutcome, reading: Reading): Html {
  const when = at === null ? '' : html` ${showMoment(at, reading)}`;
  // To people a message was just sent: nobody accepts it.
  if (outcome === 'delivered' && isForPeople(name)) return html`<b>${nameReceiver(name)}</b>${when}`;
  return html`<b>${nameReceiver(name)}</b> ${showOutcome(outcome)}${when}`;
}

/** What each attempt was answered, and when the next one is. */
export function showAttempts(receivers: readonly ReceiverOutcome[], reading: Reading): Html[] {
  return receivers.map((receiver) => {
    const said = sayAttempts(receiver);
    const { name, nextAt, outcome } = receiver;
    const next =
      outcome === 'waiting' && nextAt !== null ? html`, next try ${showMoment(nextAt, reading)}` : '';
    return html`<li><b>${nameReceiver(name)}</b>: ${OUTCOMES[outcome]}${said}${next}</li>`;
  });
}

type Attempts = Pick<ReceiverOutcome, 'attempts' | 'answers' | 'detail'>;

/** ` after 4 attempts: 503, 503, no answer in time, 503`. */
export function sayAttempts({ attempts, answers, detail }: Attempts): string {
  if (attempts === 0) return '';
  const failures = answers.length > 0 ? answers.join(', ') : (detail ?? '');
  return ` after ${formatCount(attempts, 'attempt')}${failures === '' ? '' : `: ${failures}`}`;
}

function isForPeople(name: string): boolean {
  return /^(?:slack|teams|email)\//.test(name);
}

/** Before the names of channels; a webhook has its name alone. */
const PLACES: Readonly<Record<string, string>> = { slack: '#', teams: 'Teams ', email: 'mail ', webhook: '' };

/** As people call it: `#payroll` for `slack/payroll`, `payroll-system` for `webhook/payroll-system`. */
export function nameReceiver(name: string): string {
  const [, kind = '', label = ''] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
  const place = PLACES[kind];
  return place === undefined ? name : place + label;
}
