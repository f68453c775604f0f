/** Lines on stderr about how the run goes. Events go to stdout, by the printer. */
export interface Notes {
  /** Something worth knowing. */
  say(text: string): void;
  /**
   * What is under way. On a terminal it is said at once; elsewhere only when it takes a while, so that a run that
   * ends in an error says that error alone.
   */
  progress(text: string): void;
  /** What was under way is done. */
  progressDone(): void;
}

/** Waiting shorter than this needs no explanation. */
const PATIENCE_MS = 3_000;

export function createNotes(stream: NodeJS.WriteStream): Notes {
  let waiting: NodeJS.Timeout | undefined;
  const say = (text: string) => {
    stream.write(`${text}\n`);
  };
  const progressDone = () => clearTimeout(waiting);
  return {
    say,
    progress: (text) => {
      progressDone();
      if (stream.isTTY) say(text);
      else waiting = setTimeout(() => say(text), PATIENCE_MS).unref();
    },
    progressDone,
  };
}
