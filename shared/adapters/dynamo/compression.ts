import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { NotifierError } from '../../core/errors.ts';

/** Of brotli: dense enough for a lone event to stay below 1 KB, and quick. */
const QUALITY = 9;

export function compressed(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/** Throws `NotifierError` `store_item_unreadable` when it was not made by `compressed`. */
export function decompressed(bytes: Uint8Array): string {
  try {
    return brotliDecompressSync(bytes).toString();
  } catch (cause) {
    throw new NotifierError('store_item_unreadable', 'compressed bytes of an item cannot be read', { cause });
  }
}
