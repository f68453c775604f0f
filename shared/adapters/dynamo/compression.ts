import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { NotifierError } from '../../core/errors.ts';

/** Of brotli: a lone event stays below 1 KB; 9 saves a byte per event more and takes four times as long. */
const QUALITY = 6;

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
