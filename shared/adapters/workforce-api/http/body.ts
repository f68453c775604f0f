import type { IncomingMessage } from 'node:http';
import * as zlib from 'node:zlib';

/** An answer that is not read because of its size; the message says which bound it exceeds. */
export class TooLarge extends Error {}

/** A whole answer whose body is not in the form that it should have; the message names the form, and quotes nothing. */
export class WrongForm extends Error {}

const TOO_MANY_BYTES = 'more bytes than are read of a response';

/** Bytes of a refusal that are read for its message, and those that they may unpack into. */
const MAX_START_BYTES = 64 * 1024;
const MAX_UNPACKED_START_BYTES = 1024 * 1024;

/** The whole body as it came, in one piece. Throws `TooLarge` as soon as it is too long, or what broke the connection. */
export async function readWhole(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (length > maxBytes) throw new TooLarge(TOO_MANY_BYTES);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The first 64 KB of a body, or as much as came when the connection breaks or the time is over. */
export async function readStart(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      chunks.push(chunk.subarray(0, MAX_START_BYTES - length));
      length += chunk.byteLength;
      if (length >= MAX_START_BYTES) break;
    }
  } catch {
    // The status already says what happened; the text only helps a reader.
  }
  return Buffer.concat(chunks);
}

/** What `unpack` undoes. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';
/** Pages of timesheets unpack into this many bytes for each byte sent: most into one piece, which is their memory. */
const USUAL_EXPANSION = 16;
const MIN_PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 256 * 1024;

/**
 * Undoes the compression of a whole body, at once: handing a page to another thread takes longer. Throws `TooLarge` for
 * one of more than `maxBytes`, and `WrongForm` for one that is cut or packed otherwise. A body in an encoding that we do
 * not know stays as it is: some servers send JSON with an encoding such as `UTF-8`.
 */
export function unpack(bytes: Uint8Array, encoding: string | null, maxBytes: number): Uint8Array {
  const name = encoding?.trim().toLowerCase();
  const undo = findUnpacking(name, bytes);
  if (undo === null) return bytes;
  try {
    const chunkSize = Math.max(
      MIN_PIECE_BYTES,
      Math.min(MAX_PIECE_BYTES, bytes.byteLength * USUAL_EXPANSION),
    );
    return undo(bytes, { chunkSize, maxOutputLength: maxBytes });
  } catch (error) {
    // zlib's errors have a code.
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw new TooLarge(TOO_MANY_BYTES);
    throw new WrongForm(`no whole ${name}`);
  }
}

type Unpacking = (bytes: Uint8Array, options: zlib.ZlibOptions) => Uint8Array;

/** How a body is unpacked; null when it was not packed, or in a way that we did not ask for. */
function findUnpacking(encoding: string | undefined, bytes: Uint8Array): Unpacking | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync;
    case 'deflate':
      return isZlib(bytes) ? zlib.inflateSync : zlib.inflateRawSync;
    case 'br':
      return zlib.brotliDecompressSync;
    default:
      return null;
  }
}

/** Whether `deflate` has its header (RFC 1950): some servers, as IIS, send it without one (RFC 1951). */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

/** The text with which a body begins; empty when it cannot be unpacked. */
export function readErrorText(start: Uint8Array, encoding: string | null): string {
  try {
    return Buffer.from(unpack(start, encoding, MAX_UNPACKED_START_BYTES)).toString('utf8');
  } catch {
    // The status already says what happened; the text only helps a reader.
    return '';
  }
}

/** A page of 10,000 timesheets, the largest that can be requested, has 700,000 values in 9 MB. */
const BYTES_PER_VALUE = 16;
/** Small bounds of bytes are about bytes alone. */
const MIN_VALUES = 10_000;

/**
 * Throws `TooLarge` for JSON of more values than a good answer of `maxBytes` has: each takes memory once it is parsed,
 * up to 30 times its bytes. Values are counted by commas and opening brackets, those in texts too.
 */
export function checkValueCount(json: Uint8Array, maxBytes: number): void {
  const most = Math.max(MIN_VALUES, Math.floor(maxBytes / BYTES_PER_VALUE));
  if (json.byteLength <= most) return;
  let count = 0;
  for (const byte of json) if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1;
  if (count > most) throw new TooLarge(`more than ${most} values`);
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];
