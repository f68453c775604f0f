import { useEffect, useRef } from 'preact/hooks';
import type { ChapterNote, ReceiverOutcome, TimelineChapter } from '../../routes/record.ts';
import { toAddress } from '../data/api.ts';
import { service } from '../data/feed.ts';
import { LateTag } from '../live/rows.tsx';
import { findWords } from '../live/words.ts';
import { formatDuration } from '../parts/clock.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { KindMark, OutcomeMark } from '../parts/marks.tsx';
import { formatInstant, Moment } from '../parts/moment.tsx';
import { nameReceiver, OUTCOMES } from '../parts/told.tsx';
import { formatValue, nameField } from './values.ts';

interface ChapterItemProps {
  readonly chapter: TimelineChapter;
  /** The address names it. */
  readonly isHere: boolean;
  readonly note: ChapterNote | undefined;
  readonly timeZone: string;
}

/** Of the window. */
const MAX_TOP = 0.7;

/** One event of a record: what changed, between which two reads, why, and who got it. */
export function ChapterItem({ chapter, isHere, note, timeZone }: ChapterItemProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const { top = 0 } = item.current?.getBoundingClientRect() ?? {};
    // What is in sight already leaves the heading there, which says whose it is.
    if (isHere && top > window.innerHeight * MAX_TOP) item.current?.scrollIntoView({ block: 'start' });
  }, [isHere]);
  const { event, published } = chapter;
  const { mark, tone, one } = findWords(event.type.replace('workforce.', ''));
  const { observed, occurredAt = null, late } = event.data;
  const isSilent = published && note?.receivers.length === 0;
  const known = <HowKnown chapter={chapter} note={note} timeZone={timeZone} />;
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
          <CopyButton label={`Copy the id of the event, ${event.id}`} text={() => event.id} isIcon />
        </header>
        <p class="sentence">{note?.says}</p>
        {isSilent ? (
          <details class="silent" open={isHere}>
            <summary>Nobody was to be told; how it is known</summary>
            {known}
          </details>
        ) : (
          known
        )}
      </div>
    </li>
  );
}

/** Between which reads, from which values to which, and who got it. */
function HowKnown({ chapter, note, timeZone }: Omit<ChapterItemProps, 'isHere'>) {
  const { event, published } = chapter;
  const { observed, occurredAt = null, changed, current, previous } = event.data;
  const text = () => JSON.stringify(event, null, 2);
  return (
    <>
      <div class="seen">
        <IntervalBar observed={observed} occurredAt={occurredAt} timeZone={timeZone} />
        <Changes changed={changed} current={current} previous={previous} timeZone={timeZone} />
      </div>
      <div class="told">
        <Receivers receivers={note?.receivers ?? []} timeZone={timeZone} />
        <p class="fact">
          {published ? 'Published to' : 'Waiting to be published to'} the topic {note?.topic}.
        </p>
      </div>
      <details class="raw">
        <summary>The event as it was published</summary>
        <pre>{text()}</pre>
        <CopyButton label="Copy the event" text={text} />
      </details>
    </>
  );
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
        const [mark, words] = OUTCOMES[each.outcome];
        return (
          <li key={each.name}>
            <OutcomeMark outcome={mark} /> <span class="name">{nameReceiver(each.name)}</span> {words}
            {describeAttempts(each, timeZone)}
            {each.text === undefined ? null : <blockquote>{each.text}</blockquote>}
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

interface IntervalBarProps {
  readonly observed: { readonly after: string | null; readonly by: string };
  readonly occurredAt: string | null;
  readonly timeZone: string;
}

/** Between which two reads it happened, and where in between the source says it did. */
function IntervalBar({ observed, occurredAt, timeZone }: IntervalBarProps) {
  const { after, by } = observed;
  if (after === null)
    return (
      <p class="interval first">
        <span class="label">First seen</span> <Moment at={by} timeZone={timeZone} form="time" />
      </p>
    );
  const span = Date.parse(by) - Date.parse(after);
  const place = occurredAt === null ? null : findPlace(occurredAt, after, span);
  const said =
    place === null
      ? `${service.value} does not say when`
      : place < 0
        ? `${service.value} says earlier`
        : `${service.value} says when`;
  return (
    <div class="interval">
      <span class="read">
        <span class="label">Not yet</span> <Moment at={after} timeZone={timeZone} form="time" />
      </span>
      <svg
        class="bar"
        viewBox="0 0 200 16"
        preserveAspectRatio="none"
        role="img"
        aria-label={`within ${formatDuration(span)}, ${said}`}
      >
        <path class="span" d="M1 8h198" />
        <path class="end" d="M1 2v12M199 2v12" />
        {place === null || place < 0 ? null : <path class="at" d={`M${1 + place * 198} 2v12`} />}
      </svg>
      <span class="read">
        <span class="label">Seen</span> <Moment at={by} timeZone={timeZone} form="time" />
      </span>
      <span class="span-text">within {formatDuration(span)}</span>
    </div>
  );
}

/** From 0 to 1; -1 for before the first read. */
function findPlace(occurredAt: string, after: string, span: number): number | null {
  const at = Date.parse(occurredAt);
  if (Number.isNaN(at) || !/(?:Z|[+-]\d{2}:?\d{2})$/.test(occurredAt)) return null;
  if (at < Date.parse(after)) return -1;
  return span <= 0 ? 1 : Math.min(1, (at - Date.parse(after)) / span);
}
