import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

/**
 * Stands in for `@smithy/core/checksum` in bundles, which brings hashes written in JavaScript along for hosts whose
 * Node.js has none. Lambda's has them, and the SDK would take these too.
 */

type Data = string | ArrayBuffer | ArrayBufferView;

abstract class NativeChecksum {
  private readonly start: () => Hash | Hmac;
  private hash: Hash | Hmac;

  protected constructor(start: () => Hash | Hmac) {
    this.start = start;
    this.hash = start();
  }

  /** Takes text as UTF-8. */
  update(data: Data): void {
    this.hash.update(bytesOf(data));
  }

  /** Asked for once: a code with a secret is finished by it. */
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.hash.digest());
  }

  reset(): void {
    this.hash = this.start();
  }
}

/** SHA-256, or with a secret its HMAC: what every request is signed with. */
export class Sha256 extends NativeChecksum {
  constructor(secret?: Data) {
    super(() => (secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))));
  }
}

/** MD5, by which the answers of SQS are checked. */
export class Md5 extends NativeChecksum {
  constructor() {
    super(() => createHash('md5'));
  }
}

function bytesOf(data: Data): Buffer {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}
