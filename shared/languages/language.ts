import { ENGLISH_TABLES } from './english/english.ts';
import { type CountedText, type Filled, say, type Translated } from './text.ts';

type Tables = Translated<typeof ENGLISH_TABLES>;

/** How dates and numbers are written, by `Intl`. */
interface Formats {
  readonly number: Intl.NumberFormat;
  readonly year: Intl.NumberFormat;
  readonly plural: Intl.PluralRules;
  /** Short names from Sunday and from January on, as they stand in a date. */
  readonly weekdays: readonly string[];
  readonly months: readonly string[];
  /** Of UTC. */
  readonly time: Intl.DateTimeFormat;
}

/** All that messages are written with: one table for each family of texts, and the formats of a locale. */
export interface Language extends Tables {
  readonly formats: Formats;
}

/** `locale`: a BCP 47 tag. */
export function createLanguage(locale: string, tables: Tables): Language {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const;
  const date = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    weekday: 'short',
    timeZone: 'UTC',
  });
  const nameIn = (kind: string, at: number) =>
    date.formatToParts(at).find(({ type }) => type === kind)?.value ?? '';
  const formats = {
    // People enter hours with at most 4 decimals.
    number: new Intl.NumberFormat(locale, { maximumFractionDigits: 4, signDisplay: 'negative' }),
    year: new Intl.NumberFormat(locale, { minimumIntegerDigits: 4, useGrouping: false }),
    plural: new Intl.PluralRules(locale),
    weekdays: Array.from({ length: 7 }, (_, day) => nameIn('weekday', Date.UTC(2023, 0, day + 1))),
    months: Array.from({ length: 12 }, (_, month) => nameIn('month', Date.UTC(2023, month))),
    time: new Intl.DateTimeFormat(locale, time),
  };
  return { ...tables, formats };
}

/** What messages are written in where no other language is handed in, and all that is for operators. */
export const ENGLISH: Language = /* @__PURE__ */ createLanguage('en-US', ENGLISH_TABLES);

/** `1 timesheet`, `380 timesheets`: the text of the number's plural category. */
export function sayCount<Place extends string>(
  text: CountedText<Place>,
  n: number,
  { formats }: Language,
  ...[values]: [Exclude<Place, 'n'>] extends [never] ? [] : [Filled<Exclude<Place, 'n'>>]
): string {
  const form = text[formats.plural.select(n)] ?? text.other;
  return say<string>(form, { ...values, n: formats.number.format(n) });
}

/** `a, b and c`. */
export function sayAll(texts: readonly string[], { forms }: Language): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : say(forms.and, { first: texts.slice(0, -1).join(', '), last });
}

/** `a, b and 47 more`: the first ones, and how many are left. */
export function sayFirst(texts: readonly string[], left: number, language: Language): string {
  const first = texts.join(', ');
  return left > 0 ? sayCount(language.forms.andMore, left, language, { first }) : first;
}

/** English where no other language is handed in. */
export function languageOf({ language = ENGLISH }: { readonly language?: Language | undefined }): Language {
  return language;
}

/** A sentence that may begin with a lower-case word. */
export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
