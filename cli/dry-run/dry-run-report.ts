import type { DryRun } from '#shared/flow/dry-run.ts';
import { alignDescription, describeEvent } from '../events/describe-event.ts';

/** What a feed would emit, for people: a line that counts, a line an event, and what stood in the way. */
export function formatDryRun({ report, events }: DryRun, timeZone: string): string[] {
  const { connection, feed, outcome, reasons, remainingSlices } = report;
  const waiting = events.filter(({ committed }) => committed).length;
  const notes = [
    ...(waiting === 0 ? [] : [`of these wait, committed before: ${waiting}`]),
    ...(outcome === 'complete' ? [] : [`the look is ${outcome}`]),
  ];
  const heading = `${connection} ${feed}: ${countEvents(events.length)} would be emitted`;
  return [
    [heading, ...notes].join('; '),
    ...events.map(({ text }) => `  ${formatLine(text, timeZone)}`),
    ...reasons.map((reason) => `  ! ${reason}`),
    ...(remainingSlices === 0 ? [] : [`  ! there was no time to look at ${remainingSlices} more slices`]),
  ];
}

/** All of it, for programs. */
export function formatDryRunJson(runs: readonly DryRun[]): string {
  const feeds = runs.map(({ report, events }) => ({
    ...report,
    events: events.map(({ text, committed }) => ({ committed, event: JSON.parse(text) as unknown })),
  }));
  return JSON.stringify({ feeds }, null, 2);
}

function formatLine(text: string, timeZone: string): string {
  const description = describeEvent(text, timeZone);
  if (description === null) return text;
  const { when, type, who, what } = alignDescription(description);
  return `${when}  ${type}  ${who}  ${what}`.trimEnd();
}

function countEvents(count: number): string {
  if (count === 0) return 'nothing';
  return count === 1 ? '1 event' : `${count} events`;
}
