import type { Mark, Tone } from '#shared/core/definitions/event-definition.ts';

const SHAPES: Readonly<Record<Mark, string>> = {
  in: 'M2.5 8h8M7.5 4.5 11 8l-3.5 3.5M13.5 3v10',
  out: 'M5.5 8h8M10 4.5 13.5 8 10 11.5M2.5 3v10',
  check: 'M3 8.5 6.5 12 13 4.5',
  double: 'M1.5 8.8 4.6 12l6-7.2M8 11l1.2 1.2L14.8 5',
  paid: 'M8 2.5v11M11 4.7c-.7-.7-1.7-1-3-1-1.8 0-3 .8-3 2.1 0 3 6.2 1.300 6.200 4.300 0 1.300-1.300 2.200-3.200 2.200-1.400 0-2.600-.400-3.300-1.200',
  edit: 'M3 13l.6-2.700L10.700 3.200l2.100 2.100-7.100 7.100L3 13z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  back: 'M6 3.500 2.500 7 6 10.500M3 7h6.500a3.500 3.500 0 0 1 0 7H7',
  lock: 'M4 7.500h8v6H4zM5.500 7.500V5.200a2.500 2.500 0 0 1 5 0v2.300',
  sum: 'M3.500 3h9v10h-9zM5.800 6h4.400M5.800 8.500h4.400M5.800 11h2.400',
  notice: 'M8 2.500 14 13H2zM8 6.500v3M8 11.300v.2',
};

/** The kind of an event as a shape. The words beside it say the same. */
export function KindMark({ mark, tone }: { readonly mark: Mark; readonly tone: Tone }) {
  return (
    <svg class={`mark ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[mark]} />
    </svg>
  );
}

/** That a line opens; it turns when it is open. */
export function Chevron() {
  return (
    <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M6 4l4 4-4 4" />
    </svg>
  );
}

/** What became of something, as a shape and a colour. */
export type Outcome = 'good' | 'wait' | 'bad' | 'none';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  good: 'M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11z',
  wait: 'M8 2.200 14 13.300H2z',
  bad: 'M3 3h10v10H3z',
  none: 'M8 3.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9z',
};

export function OutcomeMark({ outcome }: { readonly outcome: Outcome }) {
  return (
    <svg class={`outcome ${outcome}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={OUTCOMES[outcome]} />
    </svg>
  );
}
