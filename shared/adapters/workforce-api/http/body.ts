import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** An answer had more bytes than we read. */
export class TooManyBytes extends Error {}

type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads a body piece by piece and stops as soon as it is too long. Throws `TooManyBytes`, or what broke the stream. */
export async function readBytes(body: Body, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    // Leaving the loop closes the stream.
    if (length > maxBytes) throw new TooManyBytes();
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

/** The first bytes of a body, for the message of a failure; as much as came when the stream breaks. */
export async function readPart(body: Body, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, maxBytes - length));
      length += chunk.byteLength;
      if (length >= maxBytes) break;
    }
  } catch {
    // The status already says what happened; the text only helps a reader.
  }
  return Buffer.concat(chunks);
}

/** A page is unpacked faster than a thread is asked to; pieces of this size need no putting together. */
const PIECE_BYTES = 256 * 1024;
const MIN_PIECE_BYTES = 4 * 1024;
const MAX_PIECE_BYTES = 4 * 1024 * 1024;
/** Beyond this, unpacking would keep everything else waiting. */
const MAX_SYNC_BYTES = 512 * 1024;

/**
 * Undoes the compression of a whole body. What unpacks into more than `maxBytes` throws `TooManyBytes`, so a small
 * answer that unpacks into a large one does no harm; a body that is cut throws what zlib says.
 */
export async function unpacked(
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
        return bytes;
    }
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw new TooManyBytes();
    throw error;
  }
}

/**
 * Bytes to set aside for what a gzip unpacks into: the length it announces at its end, so that a page fits one piece
 * exactly, and one more, without which zlib would ask for another piece. A false length costs at most this much.
 */
function gunzippedBytes(bytes: Uint8Array): number {
  if (bytes.byteLength < 4) return PIECE_BYTES;
  const announced = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.byteLength - 4, true);
  return Math.min(Math.max(announced, MIN_PIECE_BYTES) + 1, MAX_PIECE_BYTES);
}

const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.gunzip);
const inflate = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.inflate);
const unbrotli = promisify<Uint8Array, zlib.BrotliOptions, Uint8Array>(zlib.brotliDecompress);

/** The text of a beginning of a body; nothing when its compression cannot be undone in part. */
export function decodePart(bytes: Uint8Array, encoding: string | null): string {
  if (encoding === null || encoding === 'identity') return Buffer.from(bytes).toString('utf8');
  if (encoding !== 'gzip') return '';
  try {
    const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: 64 * PIECE_BYTES };
    return zlib.gunzipSync(bytes, options).toString('utf8');
  } catch {
    return '';
  }
}
