import { useEffect, useRef } from 'preact/hooks';
import type { ChapterNote, ReceiverOutcome, TimelineChapter } from '../../routes/record.ts';
import { toAddress } from '../data/api.ts';
import { LateTag } from '../live/rows.tsx';
import { findWords } from '../live/words.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { KindMark, type Outcome, OutcomeMark } from '../parts/marks.tsx';
import { formatInstant, Moment } from '../parts/moment.tsx';
import { IntervalBar } from './interval-bar.tsx';
import { ReceiptLine } from './receipt-line.tsx';
import { formatValue, nameField } from './values.ts';

interface ChapterItemProps {
  readonly chapter: TimelineChapter;
  /** The address names it. */
  readonly isHere: boolean;
  readonly note: ChapterNote | undefined;
  readonly timeZone: string;
}

/** One event of a record: what changed, between which two reads, why, and who got it. */
export function ChapterItem({ chapter, isHere, note, timeZone }: ChapterItemProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isHere) item.current?.scrollIntoView({ block: 'start' });
  }, [isHere]);
  const { event, published } = chapter;
  const { mark, tone, one } = findWords(event.type.replace('workforce.', ''));
  const { observed, occurredAt = null, changed, current, previous, late } = event.data;
  return (
    <li ref={item} class={`chapter ${isHere ? 'here' : ''}`} id={event.id}>
      <div class="rail">
        <KindMark mark={mark} tone={tone} />
      </div>
      <div class="body" data-line tabIndex={-1}>
        <header>
          <h3>{one}</h3>
          <span class="sequence">no. {event.sequence}</span>
          <Moment at={occurredAt ?? observed.by} timeZone={timeZone} form="moment" />
          <LateTag late={late} />
          <a class="then" href={toAddress('/', { until: chapter.committedAt })}>
            Log at that moment
          </a>
        </header>
        <p class="sentence">{note?.sentence}</p>
        <div class="seen">
          <IntervalBar observed={observed} occurredAt={occurredAt} timeZone={timeZone} />
          <Changes changed={changed} current={current} previous={previous} timeZone={timeZone} />
        </div>
        <div class="told">
          <ReceiptLine receipt={note?.receipt ?? null} timeZone={timeZone} />
          <p class="fact">
            {published ? 'Published to' : 'Waiting to be published to'} the topic {note?.topic}.{' '}
            {describeRules(note?.rules ?? [])}
          </p>
          <Receivers receivers={note?.receivers ?? []} timeZone={timeZone} />
        </div>
        <details class="raw">
          <summary>Event {event.id}</summary>
          <pre>{JSON.stringify(event, null, 2)}</pre>
          <CopyButton label="Copy the event" text={() => JSON.stringify(event, null, 2)} />
        </details>
      </div>
    </li>
  );
}

function describeRules(rules: ChapterNote['rules']): string {
  if (rules.length === 0) return 'No alert rule matches, so no message was due.';
  return rules
    .map(
      ({ place, channels, urgent }) =>
        `Alert rule ${place} matches: ${channels.join(', ')}${urgent ? ', urgent' : ''}.`,
    )
    .join(' ');
}

interface ChangesProps {
  readonly changed: readonly string[];
  readonly current: Readonly<Record<string, unknown>> | null | undefined;
  readonly previous: Readonly<Record<string, unknown>> | null | undefined;
  readonly timeZone: string;
}

function Changes({ changed, current, previous, timeZone }: ChangesProps) {
  if (changed.length === 0) return null;
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((name) => (
          <tr key={name}>
            <th scope="row">{nameField(name)}</th>
            <td class="before">{formatValue(previous?.[name], timeZone)}</td>
            <td>{describeAfter(previous?.[name], current?.[name], timeZone)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Of values that look the same in one line, such as lists of as many entries. */
function describeAfter(before: unknown, after: unknown, timeZone: string): string {
  const text = formatValue(after, timeZone);
  return text === formatValue(before, timeZone) ? `${text}, altered` : text;
}

const MARKS: Readonly<Record<ReceiverOutcome['outcome'], readonly [Outcome, string]>> = {
  delivered: ['good', 'delivered'],
  waiting: ['wait', 'waiting'],
  failed: ['bad', 'given up'],
  queued: ['good', 'in its queue'],
  untried: ['none', 'not yet tried'],
};

function Receivers({
  receivers,
  timeZone,
}: {
  readonly receivers: readonly ReceiverOutcome[];
  readonly timeZone: string;
}) {
  if (receivers.length === 0) return null;
  return (
    <ul class="receivers">
      {receivers.map((each) => {
        const [mark, words] = MARKS[each.outcome];
        return (
          <li key={each.name}>
            <OutcomeMark outcome={mark} /> <span class="name">{each.name}</span> {words}
            {describeAttempts(each, timeZone)}
          </li>
        );
      })}
    </ul>
  );
}

export function describeAttempts(
  {
    at,
    attempts,
    answers,
    detail,
    nextAt,
    outcome,
  }: Omit<ReceiverOutcome, 'name' | 'outcome'> & { outcome: string },
  timeZone: string,
): string {
  const moment = (instant: string) => formatInstant(instant, timeZone, 'moment');
  const failed = answers.length > 0 ? `, after ${answers.join(', ')}` : '';
  const parts = [
    at === null ? '' : ` ${moment(at)}`,
    attempts > 0 ? `, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${failed}` : '',
    detail !== null && answers.length === 0 ? `, ${detail}` : '',
    nextAt !== null && outcome === 'waiting' ? `, next try ${moment(nextAt)}` : '',
  ];
  return parts.join('');
}
