import { ENGLISH, type Language, sayCount } from '../../languages/language.ts';
import { say } from '../../languages/text.ts';

/** `1,912.5`. Without a language these are for the terminal. */
export function formatNumber(value: number, { formats }: Language = ENGLISH): string {
  return formats.number.format(value);
}

/** `7.5 h`. */
export function formatHours(hours: number, language: Language = ENGLISH): string {
  return say(language.forms.hours, { n: formatNumber(hours, language) });
}

/** `+2 h`, `-0.5 h`. */
export function formatChange(hours: number, language: Language = ENGLISH): string {
  return `${hours < 0 ? '' : '+'}${formatHours(hours, language)}`;
}

/** `1 timesheet`, `380 timesheets`, on the terminal. */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}

/** `45 s`, `12 min`, `3 h`, `4 days`: in the unit that suits. */
export function formatDuration(seconds: number, language: Language = ENGLISH): string {
  const { forms } = language;
  const minutes = seconds / 60;
  if (minutes < 1.5) return say(forms.seconds, { n: formatNumber(Math.round(seconds), language) });
  if (minutes < 90) return say(forms.minutes, { n: formatNumber(Math.round(minutes), language) });
  if (minutes < 48 * 60) return formatHours(Math.round(minutes / 60), language);
  return sayCount(forms.days, Math.round(minutes / 1440), language);
}
