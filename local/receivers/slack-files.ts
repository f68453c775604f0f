import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { MessageLine } from '#shared/terminal/format-message.ts';

/** What a Slack user sees of a call, and what Slack would answer. */
export interface SlackCall {
  readonly lines: readonly MessageLine[];
  readonly answer: object;
}

/** Where a file is sent to, below the address of its channel. */
export const UPLOAD = 'upload-';
/** Files that were announced and not shared yet, by their ids. */
const uploads = new Map<string, { readonly name: string; text: string }>();
const MAX_UPLOADS = 20;

const completionSchema = z.object({
  files: z.array(z.object({ id: z.string() })),
  initial_comment: z.string().default(''),
  thread_ts: z.string().optional(),
});

/** The three calls that send files: announced, sent, and shared, when people see them. Null for any other call. */
export function takeFileCall(method: string, body: string, base: string): SlackCall | null {
  const form = new URLSearchParams(body);
  if (method === 'files.getUploadURLExternal') {
    const id = `F${nextTimestamp().replace('.', '')}`;
    uploads.set(id, { name: form.get('filename') ?? '', text: '' });
    for (const old of [...uploads.keys()].slice(0, -MAX_UPLOADS)) uploads.delete(old);
    return { lines: [], answer: { ok: true, file_id: id, upload_url: `${base}/${UPLOAD}${id}` } };
  }
  if (method.startsWith(UPLOAD)) {
    const file = uploads.get(method.slice(UPLOAD.length));
    if (file !== undefined) file.text = body;
    return { lines: [], answer: { ok: file !== undefined } };
  }
  if (method !== 'files.completeUploadExternal') return null;
  const files = parseJsonOrNull(form.get('files') ?? '');
  const { data } = completionSchema.safeParse({ ...Object.fromEntries(form), files });
  const shared = data?.files.flatMap(({ id }) => uploads.get(id) ?? []) ?? [];
  if (data === undefined || shared.length === 0 || shared.length < data.files.length)
    return { lines: [], answer: { ok: false, error: 'invalid_arguments' } };
  const names = shared.map(({ name, text }) => ({
    text: `${name}: ${text.split('\n').length - 2} timesheets`,
  }));
  for (const { id } of data.files) uploads.delete(id);
  const lines = [{ text: data.initial_comment }, ...names];
  return {
    lines: data.thread_ts === undefined ? lines : toReply(lines, false),
    answer: { ok: true, files: data.files },
  };
}

/** Digits of the second part of a timestamp of Slack. */
const FRACTION_DIGITS = 6;
let posts = 0;

export function toReply(lines: readonly MessageLine[], isShown: boolean): MessageLine[] {
  const where = isShown ? 'reply in its thread, shown in the channel' : 'reply in its thread';
  return [{ text: where, style: 'dim' }, ...lines];
}

/** Such as `1763942400.000012`: seconds and a number, and none twice. */
export function nextTimestamp(): string {
  posts += 1;
  return `${Math.floor(Date.now() / 1_000)}.${String(posts).padStart(FRACTION_DIGITS, '0')}`;
}
