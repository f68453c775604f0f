import { wantsColour } from '#shared/terminal/output.ts';
import type { RunOptions } from '../options.ts';
import { openLiveTerminal } from '../terminal/live-terminal.ts';
import { createNotes } from './notes.ts';
import { createPrinter } from './printer.ts';
import type { OutputStreams, RunOutput } from './run-output.ts';
import { formatTotals } from './stats.ts';

/** On a terminal, lines that fit and a status below them; elsewhere plain lines, for programs and files. */
export function openRunOutput(
  options: RunOptions,
  environment: NodeJS.ProcessEnv,
  streams: OutputStreams = process,
): RunOutput {
  const { stdout, stderr } = streams;
  // The write itself rejects when the reader is gone.
  stdout.on('error', () => {});
  const colour = wantsColour(stdout, environment);
  if (options.output === 'text' && canRedraw(stdout, environment))
    return openLiveTerminal({ options, stdout, stderr, colour });
  const notes = createNotes(stderr);
  return {
    ...createPrinter({ ...options, stream: stdout, colour }),
    notes,
    follow: () => {},
    conclude: (stats) => notes.say(formatTotals(stats.totals())),
    close: () => {},
  };
}

/** Whether lines can be written again: on a terminal that says how wide it is. `CI` is set where logs are kept. */
function canRedraw(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  { TERM, CI = '' }: NodeJS.ProcessEnv,
): boolean {
  return isTTY === true && (columns ?? 0) > 0 && TERM !== 'dumb' && (CI === '' || CI === 'false');
}
