import { ENGLISH, type Language } from '../../languages/language.ts';
import { say } from '../../languages/text.ts';
import { fitLine } from './clean-text.ts';
import { formatHours, formatNumber } from './numbers.ts';
import { PERHAPS_CLOSE, type TimesheetStory } from './timesheet-story.ts';

/** Hours are sums of decimals and are compared rounded to 4 of them, the most that people enter. */
const HOURS_PRECISION = 10_000;

/**
 * The net effect of all that happened to one timesheet, oldest first, in one line: `Blake 18, Kitchen, Fri 13 Nov: 8.5 to
 * 10 h (+1.5), approved again, processed again`. What was undone in between is left out.
 */
export function describeNetEffect(stories: readonly TimesheetStory[], language: Language = ENGLISH): string {
  return fitLine(sayNetEffect(stories, language), '.');
}

/** The same without the full stop. */
export function sayNetEffect(stories: readonly TimesheetStory[], language: Language): string {
  const who = stories.at(-1)?.who ?? '';
  return `${who}: ${listClauses(stories, language).join(', ')}`;
}

function listClauses(stories: readonly TimesheetStory[], language: Language): string[] {
  const late = findLate(stories).map((reason) => language.effects.late[reason]);
  return [...listEffects(stories, language), ...late];
}

function listEffects(stories: readonly TimesheetStory[], language: Language): string[] {
  const hours = describeHours(stories, language);
  const steps = describeSteps(stories, language);
  const approved = hours.length === 0 ? describeApprovedHours(stories, language) : [];
  const effects = [...hours, ...describeValues(stories, language), ...steps, ...approved];
  return effects.length === 0 ? [language.effects.changedBack] : effects;
}

/** The difference of hours to pay, to 4 decimals; null when they are the same, or one of them is not known. */
export function computeHoursDifference(stories: readonly TimesheetStory[]): number | null {
  const changing = stories.filter(({ hoursBefore }) => hoursBefore !== undefined);
  const [before, after] = [changing[0]?.hoursBefore, changing.at(-1)?.hours];
  if (before === undefined || after === undefined) return null;
  return Math.round(((after ?? 0) - (before ?? 0)) * HOURS_PRECISION) / HOURS_PRECISION;
}

function describeHours(stories: readonly TimesheetStory[], language: Language): string[] {
  const difference = computeHoursDifference(stories);
  if (difference === null) return [];
  const changing = stories.filter(({ hoursBefore }) => hoursBefore !== undefined);
  const [before, after] = [changing[0]?.hoursBefore ?? null, changing.at(-1)?.hours ?? null];
  // The steps say with how many hours it was added or removed.
  if (before === null || after === null) return [];
  const hours = formatHours(after, language);
  if (difference === 0) return [say(language.effects.sameHours, { hours })];
  const values = {
    before: formatNumber(before, language),
    difference: formatDifference(difference, language),
  };
  return [say(language.effects.hours, { ...values, hours })];
}

/** `+1.5`, `-0.25`. */
export function formatDifference(difference: number, language: Language): string {
  return `${difference > 0 ? '+' : ''}${formatNumber(difference, language)}`;
}

/** Every value that is another one at the end: `finish 17:00 to 18:30`. */
function describeValues(stories: readonly TimesheetStory[], { fields, effects }: Language): string[] {
  const changes = stories.flatMap((story) => story.changes);
  return [...Map.groupBy(changes, ({ label }) => label)].flatMap(([label, of]) => {
    const [before, after] = [of[0]?.before ?? null, of.at(-1)?.after ?? null];
    if (before === null || after === null) return [say(fields.fieldChanged, { label })];
    return before === after ? [] : [say(effects.value, { label, before, after })];
  });
}

/** `8 h to pay` of what was approved in several steps: those of one step say it in their sentence. */
function describeApprovedHours(stories: readonly TimesheetStory[], language: Language): string[] {
  const hours = stories.at(-1)?.hours ?? null;
  const isApproved = APPROVALS.some(
    (aspect) => stories.findLast(({ step }) => step?.aspect === aspect)?.step?.done === true,
  );
  if (stories.length < 2 || hours === null || !isApproved) return [];
  return [say(language.timesheets.hoursToPay, { hours: formatHours(hours, language) })];
}

const APPROVALS: readonly string[] = ['approval', 'payroll'];

/** The last step of each aspect. */
function describeSteps(stories: readonly TimesheetStory[], language: Language): string[] {
  const steps = stories.flatMap(({ step }) => (step === null ? [] : [step]));
  return [...Map.groupBy(steps, ({ aspect }) => aspect).values()].map((of) =>
    describeAspect(of, stories, language),
  );
}

type Step = NonNullable<TimesheetStory['step']>;

function describeAspect(
  steps: readonly Step[],
  stories: readonly TimesheetStory[],
  language: Language,
): string {
  const { effects } = language;
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return '';
  const isUndone = first.done && !first.repeated && !last.done;
  if (first.aspect === 'record')
    return isUndone ? effects.addedAndRemoved : addRecordHours(last.words, stories, language);
  if (isUndone) return say(effects.undone, { first: first.words, last: last.words });
  const isAgain = last.done && (first.repeated || steps.length > 1);
  return isAgain ? say(effects.again, { step: last.words }) : last.words;
}

/** `added with 7.5 h`, `removed (8 h no longer to pay)`. */
function addRecordHours(step: string, stories: readonly TimesheetStory[], language: Language): string {
  const { effects } = language;
  const [first, last] = [stories[0], stories.at(-1)];
  if (first?.hoursBefore === null && typeof last?.hours === 'number')
    return say(effects.added, { step, hours: formatHours(last.hours, language) });
  const before = stories.find(({ hoursBefore }) => typeof hoursBefore === 'number')?.hoursBefore;
  return last?.hours === null && typeof before === 'number'
    ? say(effects.removed, { step, hours: formatHours(before, language) })
    : step;
}

/** What stood before, unless a step says it. */
function findLate(stories: readonly TimesheetStory[]): (keyof Language['effects']['late'])[] {
  const late = new Set(stories.flatMap((story) => story.late));
  const aspects = new Set(stories.map(({ step }) => step?.aspect));
  if (late.has('close')) return ['close'];
  if (late.has(PERHAPS_CLOSE)) return ['perhapsClose'];
  if (late.has('processing')) return aspects.has('processing') ? [] : ['processing'];
  return late.has('approval') && !aspects.has('approval') ? ['approval'] : [];
}
