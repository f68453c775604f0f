import { formatDuration } from '../parts/clock.ts';
import { Moment } from '../parts/moment.tsx';

interface IntervalBarProps {
  readonly observed: { readonly after: string | null; readonly by: string };
  readonly occurredAt: string | null;
  readonly timeZone: string;
}

/** Between which two reads it happened, and where in between the source says it did. */
export function IntervalBar({ observed, occurredAt, timeZone }: IntervalBarProps) {
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
      ? 'the source does not say when'
      : place < 0
        ? 'the source says earlier'
        : 'the source says when';
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
