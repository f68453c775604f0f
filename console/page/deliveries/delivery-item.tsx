import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { DeliveryLine } from '../../routes/deliveries.ts';
import type { EventPlace } from '../../routes/lines.ts';
import { api } from '../data/api.ts';
import { overview } from '../data/feed.ts';
import { toRecordAddress } from '../data/location.ts';
import { Command } from '../parts/copy-button.tsx';
import { Chevron, OutcomeMark } from '../parts/marks.tsx';
import { Moment } from '../parts/moment.tsx';
import { useResource } from '../parts/resource.ts';
import { describeAttempts } from '../record/chapter-item.tsx';
import { OUTCOMES } from './outcomes.ts';

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
export function DeliveryItem({ delivery, reload }: DeliveryItemProps) {
  const key = `${delivery.eventId} ${delivery.receiver}`;
  const isOpen = opened.value.has(key);
  const { mark, words } = OUTCOMES[delivery.outcome];
  return (
    <li class={`delivery ${isOpen ? 'open' : ''}`}>
      <button type="button" class="line" data-line aria-expanded={isOpen} onClick={() => toggle(key)}>
        <Moment at={delivery.committedAt} timeZone={delivery.timeZone} form="moment" />
        <OutcomeMark outcome={mark} />
        <span class="sentence">{delivery.sentence}</span>
        <span class="to">{delivery.receiver}</span>
        <span class="label">
          {words}
          {delivery.attempts > 1 ? `, ${delivery.attempts} attempts` : ''}
        </span>
        <Chevron />
      </button>
      {isOpen ? <Opened delivery={delivery} reload={reload} /> : null}
    </li>
  );
}

function Opened({ delivery, reload }: DeliveryItemProps) {
  const { eventId, connection, feed, committedAt, record, timeZone, answers, outcome } = delivery;
  const place: EventPlace = { id: eventId, connection, feed, committedAt };
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
      {delivery.receiver.startsWith('webhooks/') ? (
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
  const [said, setSaid] = useState<string | null>(null);
  const send = async () => {
    setSaid('Sending');
    try {
      await api.resend({ receiver, events: [place] });
      setSaid('Sent; what it answers appears here');
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

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
