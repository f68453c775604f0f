import type { Receipt } from '../../routes/record.ts';
import { formatDuration } from '../parts/clock.ts';
import { formatInstant } from '../parts/moment.tsx';

interface ReceiptLineProps {
  readonly receipt: Receipt | null;
  readonly timeZone: string;
}

/** The poll that saw it. */
export function ReceiptLine({ receipt, timeZone }: ReceiptLineProps) {
  if (receipt === null) return null;
  const { at, feed, records, slices, requests, throttled, result, lagMs } = receipt;
  const where =
    feed === 'timesheets'
      ? `${count(records, 'timesheet')} on ${count(slices, 'date')}`
      : count(records, 'pay period');
  const told = lagMs === null ? '' : `, published ${formatDuration(lagMs)} after it was seen`;
  return (
    <p class="fact">
      Seen by the poll that ended {formatInstant(at, timeZone, 'time')}: {where}, {count(requests, 'request')}
      , {throttled === 0 ? 'none throttled' : `${throttled} throttled`}, {result}
      {told}.
    </p>
  );
}

function count(number: number, word: string): string {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;
}
