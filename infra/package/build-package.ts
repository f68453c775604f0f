import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLE_FILE } from '../bundling/bundling.ts';
import { buildEsbuildOptions, listFunctions } from '../bundling/esbuild-options.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/**
 * Writes the package `workforce-change-notifier-cdk`, with which `WorkforceNotifier` is part of another stack:
 *
 *     node infra/package/build-package.ts dist-cdk
 *
 * It holds the construct in JavaScript with types, and every function as it is deployed, so that who installs it
 * bundles nothing.
 */
const SOURCE_ENTRY = 'infra/notifier-stack';
/** A module of this project, as declarations name it. */
const MODULE = /(?<=['"])(?<path>(?:#|\.\.?\/)[^'"]+)\.ts(?=['"])/g;

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

buildPackage(resolve(process.argv[2] ?? 'dist-cdk'));

function buildPackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  declareTypes(folder);
  for (const file of listFiles(folder)) rewriteModules(file, folder);
  bundleConstruct(folder);
  for (const name of listFunctions())
    buildSync({ ...buildEsbuildOptions(name), outfile: join(folder, 'functions', name, BUNDLE_FILE) });
  writeManifest(folder);
  copyFileSync(join(PROJECT_ROOT, 'infra/package/README.md'), join(folder, 'README.md'));
  copyFileSync(join(PROJECT_ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

function declareTypes(folder: string): void {
  const compiler = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc');
  const project = join(PROJECT_ROOT, 'infra/package/tsconfig.json');
  execFileSync(process.execPath, [compiler, '--project', project, '--outDir', folder], { stdio: 'inherit' });
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Modules are named by their path, and end as those of JavaScript do. */
function rewriteModules(file: string, folder: string): void {
  const text = readFileSync(file, 'utf8');
  const rewritten = text.replace(MODULE, (_, path: string) => {
    if (!path.startsWith('#')) return `${path}.js`;
    const to = relative(dirname(file), join(folder, path.slice(1)));
    return `${to.startsWith('.') ? to : `./${to}`}.js`;
  });
  writeFileSync(file, rewritten);
}

/** One file beside the declarations; it finds the functions from there. */
function bundleConstruct(folder: string): void {
  buildSync({
    absWorkingDir: PROJECT_ROOT,
    entryPoints: [`${SOURCE_ENTRY}.ts`],
    outfile: join(folder, `${SOURCE_ENTRY}.js`),
    bundle: true,
    external: ['aws-cdk-lib', 'constructs', 'zod'],
    format: 'esm',
    logLevel: 'warning',
    platform: 'node',
    target: 'node20',
  });
}

function writeManifest(folder: string): void {
  const root = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as Manifest;
  const { 'aws-cdk-lib': cdk = '', constructs = '' } = root.devDependencies;
  const { zod = '' } = root.dependencies;
  const manifest = {
    name: 'workforce-change-notifier-cdk',
    version: root.version,
    description: 'Workforce change notifier as a construct of the AWS CDK',
    license: root.license,
    type: 'module',
    exports: { '.': { types: `./${SOURCE_ENTRY}.d.ts`, default: `./${SOURCE_ENTRY}.js` } },
    dependencies: { zod },
    peerDependencies: { 'aws-cdk-lib': `^${cdk}`, constructs: `^${constructs}` },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
