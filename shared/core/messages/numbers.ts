/** Digits after the point: what people enter at the finest. */
const MAX_DECIMALS = 4;

/** `1,912.5`, whatever the language of the machine. */
export function formatNumber(value: number): string {
  const [whole = '', decimals] = String(Number(value.toFixed(MAX_DECIMALS))).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** `7.5 h`. */
export function formatHours(hours: number): string {
  return `${formatNumber(hours)} h`;
}

/** `1 timesheet`, `380 timesheets`. */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}

/** `45 s`, `12 min`, `3 h`, `4 days`: a length of time as people say it, in one unit. */
export function formatDuration(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes < 1.5) return `${formatNumber(Math.round(seconds))} s`;
  if (minutes < 90) return `${formatNumber(Math.round(minutes))} min`;
  if (minutes < 48 * 60) return `${formatNumber(Math.round(minutes / 60))} h`;
  return formatCount(Math.round(minutes / 1440), 'day');
}
