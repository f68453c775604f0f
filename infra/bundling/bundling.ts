import { fileURLToPath } from 'node:url';
import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/** Folder of the project, which bundling runs in. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * How a handler becomes one file. Everything is in it, the AWS SDK too, so that what was tested is what runs. There is
 * no source map: it would be read at every cold start, and a build of the same commit is the same to the byte, so that
 * a map for a stack trace can be made when one is wanted (docs/runbook.md).
 */
export const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  mainFields: ['module', 'main'],
  minify: true,
  sourceMap: false,
  bundleAwsSDK: true,
  esbuildArgs: {
    // Paths are from the project's root. Each of these modules says why it may stand in.
    '--alias': [
      '@aws-sdk/credential-provider-node=./infra/bundling/environment-credentials.ts',
      '@aws-sdk/endpoint-cache=./infra/bundling/no-endpoint-cache.ts',
      '@smithy/core/event-streams=./infra/bundling/no-event-streams.ts',
    ],
    '--legal-comments': 'none',
    '--log-level': 'warning',
  },
};
