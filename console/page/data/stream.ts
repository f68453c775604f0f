import { toHeaders } from './session.ts';

/** A message of the stream of server-sent events. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export interface StreamListener {
  open(): void;
  take(message: StreamMessage): void;
  /** It ended, or was never there. Not called once it is closed. */
  lost(): void;
}

/** Reads server-sent events. Not an `EventSource`: that sends no header. Returns what closes it. */
export function openStream(address: string, listener: StreamListener): () => void {
  const aborter = new AbortController();
  const lose = () => {
    if (!aborter.signal.aborted) listener.lost();
  };
  read(address, aborter.signal, listener).then(lose, lose);
  return () => aborter.abort();
}

async function read(address: string, signal: AbortSignal, { open, take }: StreamListener): Promise<void> {
  const response = await fetch(address, { headers: toHeaders(), signal });
  if (!response.ok || response.body === null) return;
  open();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ; ) {
    const { done, value = '' } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (!signal.aborted) take(parse(part));
  }
}

function parse(text: string): StreamMessage {
  const lines = text.split('\n');
  const find = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : [])).join('\n');
  return { event: find('event'), id: find('id'), data: find('data') };
}
