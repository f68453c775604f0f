/** An answer had more bytes than we read. */
export class TooManyBytes extends Error {}

/**
 * Reads a body piece by piece and stops as soon as it is too long: decompressed bytes count, so a small answer that
 * unpacks into a large one does no harm. Throws `TooManyBytes`, or what the stream throws when it breaks.
 */
export async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw new TooManyBytes();
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (length > maxBytes) throw new TooManyBytes();
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

/** The first bytes of a body, for the message of a failure; as much as came when the stream breaks. */
export async function readStart(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk.subarray(0, maxBytes - length));
      length += chunk.byteLength;
      if (length >= maxBytes) break;
    }
  } catch {
    // The status already says what happened; the text only helps a reader.
  }
  return Buffer.concat(chunks).toString('utf8');
}
