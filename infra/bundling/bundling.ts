import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath as pathOf } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Architecture, type AssetCode, Code, type FunctionProps, Runtime } from 'aws-cdk-lib/aws-lambda';
import type * as Esbuild from 'esbuild';
import { CONFIG_FILE } from '#shared/config/names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { PROGRAM_ROOT } from '../project-root.ts';

/** What the package of the construct has in place of the sources: each function, bundled as below. */
export const BUNDLE_FILE = 'index.mjs';

/** The code of the function in `functions/{name}.ts` with the config beside it, and what it is built for. */
export function buildCodeProps(
  name: string,
  config: NotifierConfig,
): Pick<FunctionProps, 'code' | 'handler' | 'runtime' | 'architecture'> {
  return {
    code: bundle(name, JSON.stringify(config)),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
  };
}

/** Names of the functions: each is a file. */
export function listFunctions(): string[] {
  const files = readdirSync(join(PROGRAM_ROOT, 'functions'), { withFileTypes: true });
  return files.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/\.ts$/, ''));
}

/**
 * Bundles a handler into one file. The AWS SDK is included, so that what was tested is what runs. There is no source
 * map: Lambda would read it at every cold start. A build of the same commit is identical to the byte, so a map for a
 * stack trace can be made when it is needed: `sourcemap: true` puts one beside each `index.mjs` in `cdk.out`.
 */
export function buildEsbuildOptions(name: string) {
  return {
    absWorkingDir: PROGRAM_ROOT,
    entryPoints: [join(PROGRAM_ROOT, 'functions', `${name}.ts`)],
    // The first line of each module says what it saves.
    alias: {
      '@aws-sdk/credential-provider-node': pathOf(new URL('./environment-credentials.ts', import.meta.url)),
      '@aws-sdk/endpoint-cache': pathOf(new URL('./no-endpoint-cache.ts', import.meta.url)),
      '@smithy/core/checksum': pathOf(new URL('./native-checksums.ts', import.meta.url)),
      '@smithy/core/event-streams': pathOf(new URL('./no-event-streams.ts', import.meta.url)),
    },
    mainFields: ['module', 'main'],
    bundle: true,
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
    minify: true,
    sourcemap: false,
    platform: 'node',
    target: 'node24',
  } satisfies Esbuild.BuildOptions;
}

/** Bundles that are built and not used yet, by the name of their function. */
const built = new Map<string, Uint8Array>();

/** Builds all functions side by side: what they share is read once. Each gets the bytes that it would have alone. */
function buildAll(): void {
  // Required here: the package of the construct has its functions bundled, and no esbuild.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof Esbuild;
  const options = listFunctions().map((name) => buildEsbuildOptions(name));
  const entryPoints = options.flatMap(({ entryPoints: own }) => own);
  const { outputFiles } = buildSync({ ...options[0], entryPoints, outdir: 'unwritten', write: false });
  for (const { path, contents } of outputFiles) built.set(basename(path, '.js'), contents);
}

/** The bundle of a function: from the package, or built in this process, where `NodejsFunction` starts npx for each. */
function takeBundle(name: string): Uint8Array {
  const file = join(PROGRAM_ROOT, 'functions', name, BUNDLE_FILE);
  if (existsSync(file)) return readFileSync(file);
  if (!built.has(name)) buildAll();
  const contents = built.get(name);
  if (contents === undefined) throw new Error(`no bundle of ${name} was built`);
  built.delete(name);
  return contents;
}

function bundle(name: string, config: string): AssetCode {
  return Code.fromAsset(PROGRAM_ROOT, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('none is used'),
      // The CDK tells by it what it has bundled before.
      command: [name, config],
      local: {
        tryBundle: (folder) => {
          writeFileSync(join(folder, BUNDLE_FILE), takeBundle(name));
          writeFileSync(join(folder, CONFIG_FILE), config);
          return true;
        },
      },
    },
  });
}
