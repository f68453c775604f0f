import type { DryRun } from '#shared/flow/dry-run.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { escapeUnprintable } from '#shared/terminal/output.ts';

/** Readable lines: a heading with the count, one line per event, and what was in the way. */
export function formatDryRun({ report, events }: DryRun, timeZone: string): string[] {
  const { connection, feed, outcome, reasons, remainingSlices, heldClosings = 0 } = report;
  const waiting = events.filter(({ committed }) => committed).length;
  const notes = [
    ...(waiting === 0 ? [] : [`${waiting} of them committed earlier and not yet published`]),
    ...(heldClosings === 0
      ? []
      : [`closings of ${heldClosings} pay periods wait until their dates were read again`]),
    ...(outcome === 'complete' ? [] : [`the scan is ${outcome}`]),
  ];
  const heading = `${connection} ${feed}: ${countEvents(events.length)} would be emitted`;
  return [
    [heading, ...notes].join('; '),
    ...events.map(({ text }) => `  ${formatEventLine(text, timeZone)}`),
    ...reasons.map((reason) => `  ! ${escapeUnprintable(reason)}`),
    // A refused credential leaves slices too, for another reason, which is given above.
    ...(remainingSlices === 0 || outcome === 'refused'
      ? []
      : [`  ! no time for ${remainingSlices} more slices`]),
  ];
}

export function formatDryRunJson(runs: readonly DryRun[]): string {
  const feeds = runs.map(({ report, events }) => ({
    ...report,
    events: events.map(({ text, committed }) => ({ committed, event: JSON.parse(text) as unknown })),
  }));
  return JSON.stringify({ feeds }, null, 2);
}

function countEvents(count: number): string {
  if (count === 0) return 'nothing';
  return count === 1 ? '1 event' : `${count} events`;
}
