import { escapeLines } from '#shared/terminal/output.ts';

/** Lines on stderr about the run. Events go to stdout. */
export interface Notes {
  say(text: string): void;
  /** Progress, on a terminal only: elsewhere stderr of a failed run holds just its error. */
  progress(text: string): void;
}

export function createNotes(stream: NodeJS.WriteStream): Notes {
  const say = (text: string) => {
    stream.write(`${escapeLines(text)}\n`);
  };
  return { say, progress: stream.isTTY ? say : () => {} };
}

/** Lines about subjects that may repeat: the same line about the same subject is written once. */
export interface RepeatedNotes {
  say(subject: string, text: string): void;
  /** The subject is fine again: its next line is written. */
  forget(subject: string): void;
}

/** `stopping`: aborted when the run ends and further failures do not matter. */
export function createRepeatedNotes(notes: Notes, stopping: AbortSignal): RepeatedNotes {
  const last = new Map<string, string>();
  return {
    say: (subject, text) => {
      if (last.get(subject) !== text && !stopping.aborted) notes.say(text);
      last.set(subject, text);
    },
    forget: (subject) => void last.delete(subject),
  };
}
