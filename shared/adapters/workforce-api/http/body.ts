import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** An answer has more bytes than its bound. */
export class TooManyBytes extends Error {}

/** Bytes of a refusal that are read for its message: enough to mask a long token before the text is cut. */
const MAX_START_BYTES = 16 * 1024;

/** The whole body as it came, in one piece. Throws `TooManyBytes` as soon as it is too long, or what broke the connection. */
export async function readWhole(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > maxBytes) {
    incoming.destroy();
    throw new TooManyBytes();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (length > maxBytes) throw new TooManyBytes();
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

/** The first 16 KB of a body, or as much as came when the connection breaks or the time is over. */
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
/** Most pages unpack into one piece of this size, so that nothing is put together. */
const PIECE_BYTES = 256 * 1024;
const MIN_PIECE_BYTES = 4 * 1024;
const MAX_PIECE_BYTES = 4 * 1024 * 1024;
/** Up to this, unpacking takes less time than handing it to another thread; beyond, it would keep everything waiting. */
const MAX_SYNC_BYTES = 512 * 1024;

/**
 * Undoes the compression of a whole body. Throws `TooManyBytes` for one of more than `maxBytes`, so that a small answer
 * that unpacks into a large one does no harm, and zlib's error for one that is cut.
 */
export async function unpack(
  bytes: Uint8Array,
  encoding: string | null,
  maxBytes: number,
): Promise<Uint8Array> {
  const options = { chunkSize: PIECE_BYTES, maxOutputLength: maxBytes };
  const isSmall = bytes.byteLength <= MAX_SYNC_BYTES;
  try {
    switch (encoding?.trim().toLowerCase()) {
      case 'gzip':
      case 'x-gzip': {
        const sized = { ...options, chunkSize: gunzippedBytes(bytes) };
        return isSmall ? zlib.gunzipSync(bytes, sized) : await gunzip(bytes, sized);
      }
      case 'deflate':
        return isSmall ? zlib.inflateSync(bytes, options) : await inflate(bytes, options);
      case 'br':
        return isSmall ? zlib.brotliDecompressSync(bytes, options) : await unbrotli(bytes, options);
      default:
        if (bytes.byteLength > maxBytes) throw new TooManyBytes();
        return bytes;
    }
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw new TooManyBytes();
    throw error;
  }
}

/**
 * Bytes to set aside for what a gzip unpacks into: the length that it announces at its end, so that a page fits one
 * piece exactly, and one more, without which zlib would allocate another piece. A false length costs at most 4 MB.
 */
function gunzippedBytes(bytes: Uint8Array): number {
  if (bytes.byteLength < 4) return PIECE_BYTES;
  const announced = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.byteLength - 4, true);
  return Math.min(Math.max(announced, MIN_PIECE_BYTES) + 1, MAX_PIECE_BYTES);
}

const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.gunzip);
const inflate = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.inflate);
const unbrotli = promisify<Uint8Array, zlib.BrotliOptions, Uint8Array>(zlib.brotliDecompress);

/** The text of the start of a body; empty when its compression cannot be undone in part. */
export function decodeStart(bytes: Uint8Array, encoding: string | null): string {
  if (encoding === null || encoding === 'identity') return Buffer.from(bytes).toString('utf8');
  if (encoding !== 'gzip') return '';
  try {
    const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: 64 * PIECE_BYTES };
    return zlib.gunzipSync(bytes, options).toString('utf8');
  } catch {
    return '';
  }
}
