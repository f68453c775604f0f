import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { NotifierError } from '#shared/core/errors.ts';
import { LEAF_DICTIONARY } from './leaf-dictionary.ts';

/** Higher levels save 2 % of the bytes and take up to twice the time (ADR 31). */
const LEVEL = 9;
/** Leaves of the largest rows take a tenth of it; bytes that announce more are not ours. */
const MAX_TEXT_BYTES = 8 * 2 ** 20;
/** Of a window of `MAX_TEXT_BYTES`, as a power of two. */
const MAX_WINDOW = 23;

const WRITING = {
  params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_dictIDFlag]: 0 },
  dictionary: LEAF_DICTIONARY,
};
const READING = {
  params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW },
  dictionary: LEAF_DICTIONARY,
  maxOutputLength: MAX_TEXT_BYTES,
};

export function compressLeaf(text: string): Uint8Array {
  return zstdCompressSync(text, WRITING);
}

/** Throws `NotifierError` `store_item_unreadable` when `compressLeaf` did not make the bytes. */
export function decompressLeaf(bytes: Uint8Array): string {
  try {
    return zstdDecompressSync(bytes, READING).toString();
  } catch (cause) {
    throw new NotifierError('store_item_unreadable', 'compressed bytes of a leaf cannot be read', { cause });
  }
}
