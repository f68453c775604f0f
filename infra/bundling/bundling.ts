import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath as pathOf } from 'node:url';
import { Architecture, Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, type NodejsFunctionProps, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { PROGRAM_ROOT } from '../project-root.ts';

/**
 * Bundles a handler into one file. The AWS SDK is included, so that what was tested is what runs. There is no source
 * map: Lambda would read it at every cold start. A build of the same commit is identical to the byte, so a map for a
 * stack trace can be made when it is needed (docs/runbook.md).
 */
const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  mainFields: ['module', 'main'],
  minify: true,
  sourceMap: false,
  bundleAwsSDK: true,
  esbuildArgs: {
    // The first line of each module says what it saves.
    '--alias': [
      `@aws-sdk/credential-provider-node=${pathOf(new URL('./environment-credentials.ts', import.meta.url))}`,
      `@aws-sdk/endpoint-cache=${pathOf(new URL('./no-endpoint-cache.ts', import.meta.url))}`,
      `@smithy/core/checksum=${pathOf(new URL('./native-checksums.ts', import.meta.url))}`,
      `@smithy/core/event-streams=${pathOf(new URL('./no-event-streams.ts', import.meta.url))}`,
    ],
    '--legal-comments': 'none',
    '--log-level': 'warning',
  },
};

/** What the package of the construct has in place of the sources: each function, bundled as above. */
export const BUNDLE_FILE = 'index.mjs';

const TARGET = { runtime: Runtime.NODEJS_24_X, architecture: Architecture.ARM_64 };

/** The code of the function in `functions/{name}.ts`, and what it is built for. */
export function buildCodeProps(name: string): NodejsFunctionProps {
  const folder = join(PROGRAM_ROOT, 'functions', name);
  if (existsSync(join(folder, BUNDLE_FILE)))
    return { code: Code.fromAsset(folder), handler: 'index.handler', ...TARGET };
  return {
    entry: `${folder}.ts`,
    projectRoot: PROGRAM_ROOT,
    depsLockFilePath: join(PROGRAM_ROOT, 'package-lock.json'),
    bundling: BUNDLING,
    ...TARGET,
  };
}
