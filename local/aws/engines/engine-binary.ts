import { createRequire } from 'node:module';
import { NotifierError } from '#shared/core/errors.ts';

/** Platforms for which the embedded DynamoDB is published, each as an optional package of its own. */
const BINARIES: Readonly<Record<string, string>> = {
  'darwin-arm64': '@dynoxide/darwin-arm64/dynoxide',
  'darwin-x64': '@dynoxide/darwin-x64/dynoxide',
  'linux-arm64': '@dynoxide/linux-arm64/dynoxide',
  'linux-x64': '@dynoxide/linux-x64/dynoxide',
  'win32-x64': '@dynoxide/win32-x64/dynoxide.exe',
};

const INSTEAD = 'start another one, such as DynamoDB Local, and set AWS_ENDPOINT_URL_DYNAMODB to its address';

/** A platform, as Node names it. */
export type Platform = Pick<NodeJS.Process, 'platform' | 'arch'>;

/** Path of the embedded DynamoDB for a platform. Throws a `NotifierError` `engine_missing`. */
export function findEngineBinary(
  { platform, arch }: Platform = process,
  resolve: (path: string) => string = createRequire(import.meta.url).resolve,
): string {
  const name = `${platform}-${arch}`;
  const binary = BINARIES[name];
  if (binary === undefined) {
    throw new NotifierError('engine_missing', `there is no embedded DynamoDB for ${name}; ${INSTEAD}`);
  }
  try {
    return resolve(binary);
  } catch (cause) {
    throw new NotifierError(
      'engine_missing',
      `the embedded DynamoDB for ${name} is not installed: run npm install without --omit=optional, or ${INSTEAD}`,
      { cause },
    );
  }
}
