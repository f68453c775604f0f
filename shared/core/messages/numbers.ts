/** Digits after the point: what people enter at the finest. */
const MOST_DECIMALS = 4;

/** `1,912.5`, whatever the language of the machine. */
export function numberText(value: number): string {
  const [whole = '', decimals] = String(Number(value.toFixed(MOST_DECIMALS))).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** `7.5 h`. */
export function hoursText(hours: number): string {
  return `${numberText(hours)} h`;
}

/** `1 timesheet`, `380 timesheets`. */
export function countText(count: number, noun: string, nouns = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : nouns}`;
}

/** `45 s`, `12 min`, `3 h`, `4 days`: a length of time as people say it, in one unit. */
export function durationText(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes < 1.5) return `${numberText(Math.round(seconds))} s`;
  if (minutes < 90) return `${numberText(Math.round(minutes))} min`;
  if (minutes < 48 * 60) return `${numberText(Math.round(minutes / 60))} h`;
  return countText(Math.round(minutes / 1440), 'day');
}
