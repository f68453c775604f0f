import { Fragment } from 'preact';
import type { ReceiverOutcome } from '../../routes/record.ts';
import { type Outcome, OutcomeMark } from './marks.tsx';

/** How each outcome looks and is called, what needs somebody first. */
export const OUTCOMES: Readonly<Record<ReceiverOutcome['outcome'], readonly [Outcome, string]>> = {
  failed: ['bad', 'given up'],
  waiting: ['wait', 'waiting'],
  delivered: ['good', 'delivered'],
  queued: ['good', 'in its queue'],
  untried: ['none', 'not yet tried'],
};
const ORDER = Object.keys(OUTCOMES) as ReceiverOutcome['outcome'][];

/** Who got events, in one line: `Told: #payroll 2, mail office 2, payroll-system accepted 2`. */
export function Told({ receivers }: { readonly receivers: readonly ReceiverOutcome[] }) {
  const groups = [...Map.groupBy(receivers, ({ name, outcome }) => `${ORDER.indexOf(outcome)} ${name}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, each]) => each);
  if (groups.length === 0) return <p class="told-line label">Nobody was to be told.</p>;
  return (
    <p class="told-line">
      <span class="label">Told:</span>{' '}
      {groups.map(([first, ...others], place) => {
        const { name = '', outcome = 'untried' } = first ?? {};
        const [mark] = OUTCOMES[outcome];
        return (
          <Fragment key={`${outcome} ${name}`}>
            {place === 0 ? '' : ', '}
            {mark === 'good' ? null : <OutcomeMark outcome={mark} />} {describe(name, outcome)}
            {others.length > 0 ? ` ${others.length + 1}` : ''}
          </Fragment>
        );
      })}
    </p>
  );
}

/** Before the names of channels; a webhook has its name alone. */
const PLACES: Readonly<Record<string, string>> = {
  slack: '#',
  teams: 'Teams ',
  email: 'mail ',
  webhook: '',
};

/** As people call it: `#payroll` for `slack/payroll`, `payroll-system` for `webhook/payroll-system`. */
export function nameReceiver(name: string): string {
  const [, kind = '', label = ''] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
  const place = PLACES[kind];
  return place === undefined ? name : place + label;
}

function describe(name: string, outcome: ReceiverOutcome['outcome']): string {
  const isForPeople = /^(?:slack|teams|email)\//.test(name);
  const words = outcome === 'delivered' ? (isForPeople ? '' : ' accepted') : ` ${OUTCOMES[outcome][1]}`;
  return nameReceiver(name) + words;
}
