import type { Line } from '../../routes/lines.ts';
import { toRecordAddress } from '../data/location.ts';
import { Chevron, KindMark } from '../parts/marks.tsx';
import { formatInstant, Moment, zoneOf } from '../parts/moment.tsx';
import { type Story, summarizeStory } from './stories.ts';
import { findWords } from './words.ts';

export function DayRow({ line }: { readonly line: Line }) {
  return <h2 class="day">{formatInstant(line.committedAt, zoneOf(line.connection), 'day')}</h2>;
}

interface LineRowProps {
  readonly line: Line;
  readonly isInside: boolean;
}

/** One event: a link to its record. */
export function LineRow({ line, isInside }: LineRowProps) {
  const { mark, tone } = findWords(line.type);
  const body = (
    <>
      <Moment at={line.seenAt} timeZone={zoneOf(line.connection)} form="time" />
      <KindMark mark={mark} tone={tone} />
      <span class="sentence">{line.sentence}</span>
      <LateTag late={line.late} />
    </>
  );
  const kind = `line ${isInside ? 'inside' : ''}`;
  if (line.record === null)
    return (
      <div class={kind} data-line tabIndex={-1}>
        {body}
      </div>
    );
  const to = toRecordAddress(line.record, line.connection, line.id);
  return (
    <a class={kind} href={to} data-line>
      {body}
    </a>
  );
}

const AFTER: Readonly<Record<string, string>> = {
  approval: 'after approval',
  processing: 'after processing',
  close: 'after its period closed',
};

/** What stood already when it changed. */
export function LateTag({ late }: { readonly late: readonly string[] }) {
  const last = late.at(-1);
  if (last === undefined) return null;
  return (
    <span class="tag late" title={late.map((each) => AFTER[each] ?? each).join(', ')}>
      Late<span class="more">: {AFTER[last] ?? last}</span>
    </span>
  );
}

interface StoryRowProps {
  readonly story: Story;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A burst in one line, which opens. */
export function StoryRow({ story, isOpen, onToggle }: StoryRowProps) {
  const newest = story.lines.at(-1) as Line;
  const { mark, tone, many } = findWords(newest.type);
  const { count, from, to, departments, late } = summarizeStory(story);
  const zone = zoneOf(newest.connection);
  const [begin, end] = [formatInstant(from, zone, 'minute'), formatInstant(to, zone, 'minute')];
  return (
    <button type="button" class="line story" data-line aria-expanded={isOpen} onClick={onToggle}>
      <Moment at={newest.seenAt} timeZone={zone} form="time" />
      <KindMark mark={mark} tone={tone} />
      <span class="sentence">
        <strong>
          {count} {many}
        </strong>
        , {begin === end ? `at ${begin}` : `${begin} to ${end}`}
        {departments > 1 ? `, ${departments} departments` : ''}
        {late > 0 ? `, ${late} late` : ''}
      </span>
      <Chevron />
    </button>
  );
}
