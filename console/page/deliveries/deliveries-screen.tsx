import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type {
  DeliveriesAnswer,
  DeliveryLine,
  DeliveryOutcome,
  DeliveryReceiver,
} from '../../routes/deliveries.ts';
import type { EventPlace } from '../../routes/lines.ts';
import { api, toAddress } from '../data/api.ts';
import { overview, status } from '../data/feed.ts';
import { navigate, toRecordAddress } from '../data/location.ts';
import { TypeChoice } from '../live/filter-bar.tsx';
import { Command } from '../parts/copy-button.tsx';
import { Chevron, type Outcome, OutcomeMark } from '../parts/marks.tsx';
import { Moment } from '../parts/moment.tsx';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { nameReceiver } from '../parts/told.tsx';
import { describeAttempts } from '../record/chapter-item.tsx';
import { Health } from './health.tsx';

const RELOAD_MS = 10_000;

const ORDER: readonly DeliveryOutcome[] = ['failed', 'waiting', 'untried', 'delivered'];

interface Selection {
  readonly to: string | undefined;
  readonly type: string | undefined;
  readonly outcome: DeliveryOutcome | undefined;
  readonly since: string | undefined;
}

/** What became of the events at their receivers, and whether all of it works. */
export function DeliveriesScreen({ query }: { readonly query: URLSearchParams }) {
  const outcome = ORDER.find((each) => each === query.get('outcome'));
  const read = (name: string) => query.get(name) ?? undefined;
  const selection = { to: read('to'), type: read('type'), outcome, since: read('since') };
  const { value, error, reload } = useResource({
    key: JSON.stringify(selection),
    load: () => api.deliveries(selection),
    everyMs: RELOAD_MS,
    followsEvents: true,
  });
  return (
    <div class="screen deliveries">
      <div class="heading">
        <h1>Deliveries</h1>
        <Since selection={selection} />
        <TypeChoice
          value={selection.type ?? ''}
          onChoose={(type) => navigate(toAddress('/deliveries', { ...selection, type }))}
        />
      </div>
      <Health />
      <OldNote error={value === null ? null : error} />
      {value === null ? <Waiting error={error} /> : null}
      {value === null ? null : <Shown answer={value} selection={selection} reload={reload} />}
    </div>
  );
}

interface ShownProps {
  readonly answer: DeliveriesAnswer;
  readonly selection: Selection;
  readonly reload: () => void;
}

function Shown({ answer, selection, reload }: ShownProps) {
  const { receivers, deliveries, total, queues } = answer;
  return (
    <>
      <ul class="endpoints">
        {receivers.map((each) => (
          <Endpoint key={each.label} receiver={each} selection={selection} />
        ))}
      </ul>
      {(status.value?.value.speed ?? 1) === 1 ? null : (
        <p class="fact">The clock of the company runs fast; webhooks are sent, and answer, in real time.</p>
      )}
      {queues.length > 0 ? <p class="fact">{describeQueues(queues)}</p> : null}
      {receivers.length === 0 ? (
        <Empty title="No receivers">
          <p>Webhooks and channels of the config appear here, with what each of them answered.</p>
        </Empty>
      ) : null}
      {receivers.length > 0 && deliveries.length === 0 ? (
        <Empty title="No delivery matches">
          <p>An event that a receiver subscribes to appears here as soon as it is in the log.</p>
        </Empty>
      ) : null}
      <ol class="list">
        {deliveries.map((each) => (
          <DeliveryItem key={`${each.receiver} ${each.eventId}`} delivery={each} reload={reload} />
        ))}
      </ol>
      {total > deliveries.length ? (
        <p class="end">
          {(total - deliveries.length).toLocaleString('en')} earlier ones are not listed; choose a receiver,
          an outcome, a type or a shorter time.
        </p>
      ) : null}
    </>
  );
}

function describeQueues(names: readonly string[]): string {
  const queues = names.length === 1 ? `the queue ${names[0]}` : `the queues ${names.join(', ')}`;
  return `Only who reads ${queues} knows what became of an event there.`;
}

/** How far back, as the command line takes it, in words. */
const TIMES: Readonly<Record<string, string>> = {
  '2h': '2 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};

function Since({ selection }: { readonly selection: Selection }) {
  return (
    <ul class="choices" aria-label="Events of the last">
      {Object.keys(TIMES).map((since) => (
        <li key={since}>
          <a
            href={toAddress('/deliveries', { ...selection, since })}
            aria-current={(selection.since ?? '24h') === since ? 'true' : undefined}
          >
            {TIMES[since]}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface EndpointProps {
  readonly receiver: DeliveryReceiver;
  readonly selection: Selection;
}

function Endpoint({ receiver: { label, counts, disabled, resendCommand }, selection }: EndpointProps) {
  const isChosen = selection.to === label;
  const failed = counts.failed ?? 0;
  return (
    <li class={isChosen ? 'chosen' : ''}>
      <h2>
        <a
          data-line
          href={toAddress('/deliveries', {
            ...selection,
            outcome: undefined,
            to: isChosen ? undefined : label,
          })}
        >
          {nameReceiver(label)}
        </a>
      </h2>
      <p class="counts">
        {ORDER.filter((outcome) => (counts[outcome] ?? 0) > 0).map((outcome) => (
          <a key={outcome} href={toAddress('/deliveries', { ...selection, to: label, outcome })}>
            <OutcomeMark outcome={OUTCOMES[outcome].mark} /> {(counts[outcome] ?? 0).toLocaleString('en')}{' '}
            {OUTCOMES[outcome].words}
          </a>
        ))}
        {Object.values(counts).every((each) => each === 0) ? <span>Nothing in this time</span> : null}
      </p>
      {disabled === null ? null : <p class="old">Disabled: it {disabled}.</p>}
      {failed > 0 && resendCommand !== null ? <Command text={resendCommand} /> : null}
    </li>
  );
}

interface DeliveryItemProps {
  readonly delivery: DeliveryLine;
  readonly reload: () => void;
}

/** Those that are open; also after another screen was looked at. */
const opened = signal<ReadonlySet<string>>(new Set());

function toggle(key: string): void {
  const keys = new Set(opened.value);
  if (!keys.delete(key)) keys.add(key);
  opened.value = keys;
}

/** One event at one receiver; opens to its request and the answers. */
function DeliveryItem({ delivery, reload }: DeliveryItemProps) {
  const key = `${delivery.eventId} ${delivery.receiver}`;
  const isOpen = opened.value.has(key);
  const { mark, words } = OUTCOMES[delivery.outcome];
  return (
    <li class={`delivery ${isOpen ? 'open' : ''}`}>
      <div class="line">
        <Moment at={delivery.committedAt} timeZone={delivery.timeZone} form="moment" />
        <OutcomeMark outcome={mark} />
        {delivery.record === null ? (
          <span class="sentence">{delivery.sentence}</span>
        ) : (
          <a
            class="sentence over"
            href={toRecordAddress(delivery.record, delivery.connection, delivery.eventId)}
          >
            {delivery.sentence}
          </a>
        )}
        <span class="to">{nameReceiver(delivery.receiver)}</span>
        <span class="label">
          {words}
          {delivery.attempts > 1 ? `, ${delivery.attempts} attempts` : ''}
        </span>
        <button
          type="button"
          class="opens"
          data-line
          aria-label={`What ${nameReceiver(delivery.receiver)} answered`}
          aria-expanded={isOpen}
          onClick={() => toggle(key)}
        >
          <Chevron />
        </button>
      </div>
      {isOpen ? <Opened delivery={delivery} reload={reload} /> : null}
    </li>
  );
}

function Opened({ delivery, reload }: DeliveryItemProps) {
  const { eventId, connection, record, timeZone, answers, outcome } = delivery;
  const place = toPlace(delivery);
  const isWebhook = !delivery.receiver.includes('/');
  const { value, error } = useResource({ key: eventId, load: () => api.event(place), everyMs: null });
  return (
    <div class="opened">
      <p class="fact">
        {OUTCOMES[outcome].words}
        {describeAttempts(delivery, timeZone)}
      </p>
      {answers.length > 0 ? (
        <ol class="attempts">
          {answers.map((answer, index) => (
            <li key={index}>
              Attempt {index + 1}: {answer}
            </li>
          ))}
        </ol>
      ) : null}
      {record === null ? null : (
        <a href={toRecordAddress(record, connection, eventId)}>What happened to {record}</a>
      )}
      <details>
        <summary>What is sent</summary>
        <pre>{value === null ? (error ?? 'Reading') : format(value.text)}</pre>
      </details>
      {isWebhook ? (
        <Again place={place} receiver={delivery.receiver} command={value?.command ?? null} reload={reload} />
      ) : (
        <p class="fact">Messages to people are not sent again.</p>
      )}
    </div>
  );
}

interface AgainProps {
  readonly place: EventPlace;
  readonly receiver: string;
  readonly command: string | null;
  readonly reload: () => void;
}

/** Sends it again, or shows the command where this console only reads. */
function Again({ place, receiver, command, reload }: AgainProps) {
  const [said, setSaid] = useState('');
  const send = async () => {
    setSaid('Sending');
    try {
      await api.resend({ receiver, event: place });
      setSaid('Sent; what is answered appears here');
      window.setTimeout(reload, 1_500);
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      {overview.value?.allowsWrites === true ? (
        <p class="again">
          <button type="button" onClick={() => void send()}>
            Send again
          </button>{' '}
          <span role="status">{said}</span>
        </p>
      ) : null}
      {command === null ? null : <Command text={`${command} --to ${receiver}`} />}
    </>
  );
}

function toPlace({ eventId, connection, committedAt }: DeliveryLine): EventPlace {
  return { id: eventId, connection, committedAt };
}

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** How each outcome looks and is called. */
const OUTCOMES: Readonly<Record<DeliveryOutcome, { readonly mark: Outcome; readonly words: string }>> = {
  delivered: { mark: 'good', words: 'delivered' },
  waiting: { mark: 'wait', words: 'waiting' },
  failed: { mark: 'bad', words: 'given up' },
  untried: { mark: 'none', words: 'not yet tried' },
};
