import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { NotifierError } from '../../core/errors.ts';

/** Higher levels save a tenth of the bytes and take several times as long. */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };
/** Far above what any item holds, so that damaged bytes cannot take all memory. */
const MAX_BYTES = 64 * 1024 * 1024;

export function compressed(text: string): Uint8Array {
  return zstdCompressSync(text, { params: PARAMS });
}

/** Throws `NotifierError` `store_item_unreadable` when it was not made by `compressed`. */
export function decompressed(bytes: Uint8Array): string {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_BYTES }).toString();
  } catch (cause) {
    throw new NotifierError('store_item_unreadable', 'compressed bytes of an item cannot be read', { cause });
  }
}
