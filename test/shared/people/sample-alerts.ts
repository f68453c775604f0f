import type { Alert, ChannelMessage } from '#shared/people/alert.ts';

export const SEEN = Date.parse('2026-11-15T21:02:00.000Z');

/** An approval of the timesheet of this number, unless the values say otherwise. */
export function alert(number: number, values: Partial<Alert> = {}): Alert {
  return {
    id: `alert-${number}`,
    type: 'workforce.timesheet.approved',
    connection: 'main',
    timeZone: 'Pacific/Auckland',
    at: SEEN + number * 1_000,
    line: `Line ${number}.`,
    urgent: false,
    subject: `${number}_7`,
    reverses: null,
    department: `Department ${number % 4}`,
    ...values,
  };
}

export function alerts(count: number, values: Partial<Alert> = {}, from = 1): Alert[] {
  return Array.from({ length: count }, (_, index) => alert(from + index, values));
}

/** A message of one alert, unless the values say otherwise. */
export function message(values: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    id: 'f'.repeat(32),
    title: 'Pay period Weekly 9-15 Nov was reopened.',
    lines: [],
    more: 0,
    urgent: false,
    at: SEEN,
    timeZone: 'Pacific/Auckland',
    ...values,
  };
}
