import { type EventState, readText } from './event-state.ts';
import { cleanText } from './messages/clean-text.ts';
import { formatDates, type MessageTimeContext } from './messages/moments.ts';

interface NamedPeriod {
  readonly current: EventState;
  readonly previous: EventState;
  readonly payPeriodId: string;
}

/** `Weekly 9-15 Nov`, or only the dates. */
export function describePeriod(
  { current, previous, payPeriodId }: NamedPeriod,
  timeContext: MessageTimeContext,
): string {
  const state = current ?? previous;
  const [from, to] = [readText(state, 'startDate'), readText(state, 'finishDate')];
  const calendar = cleanText(readText(state, 'calendar') ?? '');
  if (from === null || to === null) return cleanText(payPeriodId);
  const dates = formatDates(from, to, timeContext);
  return calendar === '' ? dates : `${calendar} ${dates}`;
}
