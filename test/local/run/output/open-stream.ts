import { EventEmitter } from 'node:events';

/** A stream of a process that writes at once. */
export function openStream(
  traits: { readonly isTTY: boolean; readonly columns?: number } = { isTTY: false },
) {
  let text = '';
  const write = (more: string, settle?: () => void) => {
    text += more;
    settle?.();
    return true;
  };
  const stream = Object.assign(new EventEmitter(), { ...traits, write });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    write,
    written: () => text,
    lines: () => text.split('\n').slice(0, -1),
  };
}
