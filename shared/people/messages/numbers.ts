/** People enter hours with at most 4 decimals. */
const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4, signDisplay: 'negative' });

/** `1,912.5`. */
export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** `7.5 h`. */
export function formatHours(hours: number): string {
  return `${formatNumber(hours)} h`;
}

/** `+2 h`, `-0.5 h`. */
export function formatChange(hours: number): string {
  return `${hours < 0 ? '' : '+'}${formatHours(hours)}`;
}

/** `1 timesheet`, `380 timesheets`. */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}

/** `45 s`, `12 min`, `3 h`, `4 days`: in the unit that suits. */
export function formatDuration(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes < 1.5) return `${formatNumber(Math.round(seconds))} s`;
  if (minutes < 90) return `${formatNumber(Math.round(minutes))} min`;
  if (minutes < 48 * 60) return formatHours(Math.round(minutes / 60));
  return formatCount(Math.round(minutes / 1440), 'day');
}
