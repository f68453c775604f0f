import { readFileSync } from 'node:fs';
import { buildSync, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { buildEsbuildOptions, listFunctions } from '#infra/bundling/bundling.ts';

/** Every package with code in a function, and its licence. A new one is a decision. */
const BUNDLED = {
  '@aws-lambda-powertools/commons': 'MIT-0',
  '@aws-lambda-powertools/logger': 'MIT-0',
  '@aws-lambda-powertools/metrics': 'MIT-0',
  '@aws-sdk/client-dynamodb': 'Apache-2.0',
  '@aws-sdk/client-secrets-manager': 'Apache-2.0',
  '@aws-sdk/client-sns': 'Apache-2.0',
  '@aws-sdk/client-sqs': 'Apache-2.0',
  '@aws-sdk/client-ssm': 'Apache-2.0',
  '@aws-sdk/core': 'Apache-2.0',
  '@aws-sdk/dynamodb-codec': 'Apache-2.0',
  '@aws-sdk/middleware-endpoint-discovery': 'Apache-2.0',
  '@aws-sdk/middleware-sdk-sqs': 'Apache-2.0',
  '@aws-sdk/xml-builder': 'Apache-2.0',
  '@aws/lambda-invoke-store': 'Apache-2.0',
  '@middy/core': 'MIT',
  '@smithy/core': 'Apache-2.0',
  '@smithy/node-http-handler': 'Apache-2.0',
  '@smithy/signature-v4': 'Apache-2.0',
  '@smithy/types': 'Apache-2.0',
  ky: 'MIT',
  zod: 'MIT',
};
/** What subscribers install with the kit. */
const INSTALLED_WITH_THE_KIT = {
  '@stablelib/base64': 'MIT',
  'fast-sha256': 'Unlicense',
  standardwebhooks: 'MIT',
  zod: 'MIT',
};

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

test('the packages in the functions, and their licences, are known', () => {
  expect(Object.fromEntries(listPackages(listModules()))).toEqual(BUNDLED);
});

test('so are those that subscribers install', () => {
  expect(Object.fromEntries(listInstalled('standardwebhooks', 'zod'))).toEqual(INSTALLED_WITH_THE_KIT);
});

/** Name and licence of every package that files are of. */
function listPackages(paths: readonly string[]): [string, string][] {
  const packages = paths.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []);
  return [...new Set(packages)].map(readLicence).sort();
}

/** Modules with code in the bundle of any function, with the settings of the stack; what they share is read once. */
function listModules(): string[] {
  const options = listFunctions().map((name) => buildEsbuildOptions(name));
  const { metafile } = buildSync({
    ...options[0],
    entryPoints: options.flatMap(({ entryPoints }) => entryPoints),
    logLevel: 'silent',
    metafile: true,
    outdir: 'unwritten',
    write: false,
  });
  return listCode(metafile);
}

/** Files with code in a bundle. */
function listCode({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
}

/** Name and licence of packages and of all that they depend on. */
function listInstalled(...names: readonly string[]): [string, string][] {
  const found = names.flatMap((name): [string, string][] => {
    const folder = `node_modules/${name}`;
    const { dependencies = {} } = readManifest(folder);
    return [readLicence(folder), ...listInstalled(...Object.keys(dependencies))];
  });
  return found.sort();
}

function readLicence(folder: string): [string, string] {
  const { name, license = 'none' } = readManifest(folder);
  return [name, license];
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    readonly name: string;
    readonly license?: string;
    readonly dependencies?: Readonly<Record<string, string>>;
  };
}
