/** Words that a shell takes as they are. */
const PLAIN = /^[\w./:@%+=,-]+$/;

/** The commands that people are told to run, so that none is named that is not there. */
type NamedCommand = 'deliveries' | 'doctor' | 'events' | 'period' | 'send';

/**
 * A command for the same target, complete, to be copied into a shell: `npm run notifier -- events 101206_1
 * --data .data`.
 */
export function formatCommand(
  { placeOptions = [] }: { readonly placeOptions?: readonly string[] },
  command: NamedCommand,
  ...words: readonly string[]
): string {
  return ['npm', 'run', 'notifier', '--', command, ...words, ...placeOptions].map(quote).join(' ');
}

/** A word as a POSIX shell takes it, whatever it holds. */
export function quote(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
