/** Lines on stderr about how the run goes. Events go to stdout, by the printer. */
export interface Notes {
  /** Something worth knowing. */
  say(text: string): void;
  /** What is under way: for people who wait. Elsewhere a run that ends in an error says that error alone. */
  progress(text: string): void;
}

export function createNotes(stream: NodeJS.WriteStream): Notes {
  const say = (text: string) => {
    stream.write(`${text}\n`);
  };
  return { say, progress: stream.isTTY ? say : () => {} };
}
