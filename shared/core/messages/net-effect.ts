import { fitLine } from './clean-text.ts';
import { formatHours, formatNumber } from './numbers.ts';
import { PERHAPS_CLOSE, type TimesheetStory } from './timesheet-story.ts';

/** Hours are sums of decimals and are compared rounded to 4 of them, the most that people enter. */
const HOURS_PRECISION = 10_000;

/**
 * The net effect of all that happened to one timesheet, oldest first, in one line: `Blake 18, Kitchen, Fri 13 Nov: 8.5 to
 * 10 h (+1.5), approved again, processed again`. What was undone in between is left out.
 */
export function describeNetEffect(stories: readonly TimesheetStory[]): string {
  const who = stories.at(-1)?.who ?? '';
  return fitLine(`${who}: ${listClauses(stories).join(', ')}`, '.');
}

/** The same without the full stop in at most `max` characters: as many clauses as there is room for. */
export function fitNetEffect(stories: readonly TimesheetStory[], max: number): string | null {
  const who = stories.at(-1)?.who ?? '';
  const short = who.replace(/^(Timesheet .*) of employee [^,]*/, '$1');
  const effects = listEffects(stories);
  const late = describeLate(stories).map((clause) => SHORT_LATE[clause] ?? clause);
  const fewer = effects.map((_, left) => effects.slice(0, effects.length - left));
  const texts = [
    `${who}: ${listClauses(stories).join(', ')}`,
    ...fewer.flatMap((some) => [[...some, ...late], some]).map((some) => `${short}: ${some.join(', ')}`),
  ];
  return texts.find(({ length }) => length <= max) ?? null;
}

/** For a subject: whoever gets it knows which period. */
const SHORT_LATE: Readonly<Record<string, string>> = {
  'after its pay period closed': 'after closing',
  'perhaps after its pay period closed': 'perhaps after closing',
  'after it was processed': 'after processing',
};

function listClauses(stories: readonly TimesheetStory[]): string[] {
  return [...listEffects(stories), ...describeLate(stories)];
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
  if (difference === 0) return [`hours as before (${formatHours(after)})`];
  return [`${formatNumber(before)} to ${formatHours(after)} (${formatDifference(difference)})`];
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
  return stories.length < 2 || hours === null || !isApproved ? [] : [`${formatHours(hours)} to pay`];
}

const APPROVALS: readonly string[] = ['approval', 'payroll'];

/** The last step of each aspect. */
function describeSteps(stories: readonly TimesheetStory[]): string[] {
  const steps = stories.flatMap(({ step }) => (step === null ? [] : [step]));
  const hours = describeRecordHours(stories);
  return [...Map.groupBy(steps, ({ aspect }) => aspect).values()].map((of) => describeAspect(of, hours));
}

type Step = NonNullable<TimesheetStory['step']>;

function describeAspect(steps: readonly Step[], hours: string): string {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return '';
  const isUndone = first.done && !first.repeated && !last.done;
  if (first.aspect === 'record') return isUndone ? 'added and removed again' : `${last.words}${hours}`;
  if (isUndone) return `${first.words}, then ${last.words}`;
  const again = last.done && (first.repeated || steps.length > 1);
  return `${last.words}${again ? ' again' : ''}`;
}

/** ` with 7.5 h` for a timesheet that was added, ` (8 h no longer to pay)` for one that was removed. */
function describeRecordHours(stories: readonly TimesheetStory[]): string {
  const [first, last] = [stories[0], stories.at(-1)];
  if (first?.hoursBefore === null && typeof last?.hours === 'number')
    return ` with ${formatHours(last.hours)}`;
  const before = stories.find(({ hoursBefore }) => typeof hoursBefore === 'number')?.hoursBefore;
  return last?.hours === null && typeof before === 'number'
    ? ` (${formatHours(before)} no longer to pay)`
    : '';
}

/** What stood before, unless a step says it. */
function describeLate(stories: readonly TimesheetStory[]): string[] {
  const late = new Set(stories.flatMap((story) => story.late));
  const aspects = new Set(stories.map(({ step }) => step?.aspect));
  if (late.has('close')) return ['after its pay period closed'];
  if (late.has(PERHAPS_CLOSE)) return ['perhaps after its pay period closed'];
  if (late.has('processing')) return aspects.has('processing') ? [] : ['after it was processed'];
  return late.has('approval') && !aspects.has('approval') ? ['after approval'] : [];
}
