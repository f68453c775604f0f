import { fitLine } from './clean-text.ts';
import { formatHours, formatNumber } from './numbers.ts';
import { PERHAPS_CLOSE, type TimesheetStory } from './timesheet-story.ts';

/** Hours are sums of decimals and are compared rounded to 4 of them, the most that people enter. */
const HOURS_PRECISION = 10_000;

const LATE = {
  close: 'after its pay period closed',
  perhapsClose: 'perhaps after its pay period closed',
  processing: 'after it was processed',
  approval: 'after approval',
} as const;

/**
 * The net effect of all that happened to one timesheet, oldest first, in one line: `Blake 18, Kitchen, Fri 13 Nov: 8.5 to
 * 10 h (+1.5), approved again, processed again`. What was undone in between is left out.
 */
export function describeNetEffect(stories: readonly TimesheetStory[]): string {
  return fitLine(sayNetEffect(stories), '.');
}

/** The same without the full stop. */
export function sayNetEffect(stories: readonly TimesheetStory[]): string {
  const who = stories.at(-1)?.who ?? '';
  return `${who}: ${listClauses(stories).join(', ')}`;
}

function listClauses(stories: readonly TimesheetStory[]): string[] {
  const late = findLate(stories).map((reason) => LATE[reason]);
  return [...listEffects(stories), ...late];
}

function listEffects(stories: readonly TimesheetStory[]): string[] {
  const hours = describeHours(stories);
  const steps = describeSteps(stories);
  const approved = hours.length === 0 ? describeApprovedHours(stories) : [];
  const effects = [...hours, ...describeValues(stories), ...steps, ...approved];
  return effects.length === 0 ? ['changed and changed back'] : effects;
}

/** The difference of hours to pay, to 4 decimals; null when they are the same, or one of them is not known. */
export function computeHoursDifference(stories: readonly TimesheetStory[]): number | null {
  const changing = stories.filter(({ hoursBefore }) => hoursBefore !== undefined);
  const [before, after] = [changing[0]?.hoursBefore, changing.at(-1)?.hours];
  if (before === undefined || after === undefined) return null;
  return Math.round(((after ?? 0) - (before ?? 0)) * HOURS_PRECISION) / HOURS_PRECISION;
}

function describeHours(stories: readonly TimesheetStory[]): string[] {
  const difference = computeHoursDifference(stories);
  if (difference === null) return [];
  const changing = stories.filter(({ hoursBefore }) => hoursBefore !== undefined);
  const [before, after] = [changing[0]?.hoursBefore ?? null, changing.at(-1)?.hours ?? null];
  // The steps say with how many hours it was added or removed.
  if (before === null || after === null) return [];
  const hours = formatHours(after);
  if (difference === 0) return [`hours as before (${hours})`];
  return [`${formatNumber(before)} to ${hours} (${formatDifference(difference)})`];
}

/** `+1.5`, `-0.25`. */
export function formatDifference(difference: number): string {
  return `${difference > 0 ? '+' : ''}${formatNumber(difference)}`;
}

/** Every value that is another one at the end: `finish 17:00 to 18:30`. */
function describeValues(stories: readonly TimesheetStory[]): string[] {
  const changes = stories.flatMap((story) => story.changes);
  return [...Map.groupBy(changes, ({ label }) => label)].flatMap(([label, of]) => {
    const [before, after] = [of[0]?.before ?? null, of.at(-1)?.after ?? null];
    if (before === null || after === null) return [`${label} changed`];
    return before === after ? [] : [`${label} ${before} to ${after}`];
  });
}

/** `8 h to pay` of what was approved in several steps: those of one step say it in their sentence. */
function describeApprovedHours(stories: readonly TimesheetStory[]): string[] {
  const hours = stories.at(-1)?.hours ?? null;
  const isApproved = APPROVALS.some(
    (aspect) => stories.findLast(({ step }) => step?.aspect === aspect)?.step?.done === true,
  );
  if (stories.length < 2 || hours === null || !isApproved) return [];
  return [`${formatHours(hours)} to pay`];
}

const APPROVALS: readonly string[] = ['approval', 'payroll'];

/** The last step of each aspect. */
function describeSteps(stories: readonly TimesheetStory[]): string[] {
  const steps = stories.flatMap(({ step }) => (step === null ? [] : [step]));
  return [...Map.groupBy(steps, ({ aspect }) => aspect).values()].map((of) => describeAspect(of, stories));
}

type Step = NonNullable<TimesheetStory['step']>;

function describeAspect(steps: readonly Step[], stories: readonly TimesheetStory[]): string {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return '';
  const isUndone = first.done && !first.repeated && !last.done;
  if (first.aspect === 'record')
    return isUndone ? 'added and removed again' : addRecordHours(last.words, stories);
  if (isUndone) return `${first.words}, then ${last.words}`;
  const isAgain = last.done && (first.repeated || steps.length > 1);
  return isAgain ? `${last.words} again` : last.words;
}

/** `added with 7.5 h`, `removed (8 h no longer to pay)`. */
function addRecordHours(step: string, stories: readonly TimesheetStory[]): string {
  const [first, last] = [stories[0], stories.at(-1)];
  if (first?.hoursBefore === null && typeof last?.hours === 'number')
    return `${step} with ${formatHours(last.hours)}`;
  const before = stories.find(({ hoursBefore }) => typeof hoursBefore === 'number')?.hoursBefore;
  return last?.hours === null && typeof before === 'number'
    ? `${step} (${formatHours(before)} no longer to pay)`
    : step;
}

/** What stood before, unless a step says it. */
function findLate(stories: readonly TimesheetStory[]): (keyof typeof LATE)[] {
  const late = new Set(stories.flatMap((story) => story.late));
  const aspects = new Set(stories.map(({ step }) => step?.aspect));
  if (late.has('close')) return ['close'];
  if (late.has(PERHAPS_CLOSE)) return ['perhapsClose'];
  if (late.has('processing')) return aspects.has('processing') ? [] : ['processing'];
  return late.has('approval') && !aspects.has('approval') ? ['approval'] : [];
}
