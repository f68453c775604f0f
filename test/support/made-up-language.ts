import { ENGLISH_TABLES } from '#shared/languages/english/english.ts';
import { createLanguage, type Language } from '#shared/languages/language.ts';

/** A language with letters and digits of its own: the English tables in Greek letters, their places kept. */
export const MADE_UP: Language = createLanguage('el-u-nu-deva', toGreek(ENGLISH_TABLES));

function toGreek<Table>(table: Table): Table {
  if (typeof table === 'string') return table.replaceAll(/\{\w+\}|[A-Za-z]/g, toGreekLetter) as Table;
  const entries = Object.entries(table as object).map(([name, each]) => [name, toGreek(each)]);
  return (Array.isArray(table) ? entries.map(([, each]) => each) : Object.fromEntries(entries)) as Table;
}

function toGreekLetter(letter: string): string {
  if (letter.length > 1) return letter;
  const greek = String.fromCodePoint(0x3b1 + ((letter.toLowerCase().codePointAt(0) ?? 0) % 17));
  return letter === letter.toLowerCase() ? greek : greek.toUpperCase();
}

/** Runs of Latin letters or digits that are left of a text without what came from outside, addresses and escapes. */
export function findForeign(text: string, known: readonly string[]): string[] {
  const longestFirst = known.filter((each) => each !== '').toSorted((a, b) => b.length - a.length);
  const shown = text.replaceAll(/https:\S+/g, '~').replaceAll(/&(?:gt|lt|amp);|[<>]/g, '~');
  const own = longestFirst.reduce((rest, each) => rest.replaceAll(each, '~'), shown);
  return own.match(/[\p{Script=Latin}0-9]+/gu) ?? [];
}

/** Members of events whose values sentences show as they are. */
const SHOWN = [
  ...['timesheetId', 'employeeId', 'departmentId', 'organisationId', 'payPeriodId', 'recordId', 'eventId'],
  ...['connection', 'webhook', 'reason', 'eventType', 'calendar', 'approvedPayroll', 'payRollCompanyId'],
  ...['issues', 'kinds', 'field', 'records'],
];
/** Codes that have words of their own. */
const CODES = ['late', 'reopened', 'recounted', 'expired', 'clockOut', 'approvedHours'];

/** What sentences about events may have from them. */
export function listKnown(events: readonly unknown[]): string[] {
  const found = new Set<string>();
  const visit = (value: unknown, name: string): void => {
    if (typeof value === 'string' && SHOWN.includes(name) && !CODES.includes(value))
      found.add(value.replace('workforce.', ''));
    if (Array.isArray(value)) for (const each of value) visit(each, name);
    else if (typeof value === 'object' && value !== null)
      for (const [member, each] of Object.entries(value)) visit(each, member);
  };
  visit(events, '');
  return [...found];
}
