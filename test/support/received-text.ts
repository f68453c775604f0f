import { layOutEntry } from '#local/run/output/lines.ts';
import type { Receipt } from '#shared/terminal/received.ts';

/** What somebody got, as a run without a terminal prints it, without the columns of time and mark. */
export function receivedText(received: Receipt): string {
  const entry =
    received.kind === 'message'
      ? ({ kind: 'message', at: '08:30', message: received } as const)
      : ({ kind: 'delivery', delivery: received } as const);
  return layOutEntry(entry, { columns: null, colour: false })
    .map((line) => line.slice('08:30 │ '.length))
    .join('\n');
}
