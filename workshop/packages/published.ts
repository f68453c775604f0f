import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { BUNDLE_FILE, buildEsbuildOptions, listFunctions } from '#infra/bundling/bundling.ts';
import { PROGRAM_ROOT } from '#infra/project-root.ts';
import {
  compileInto,
  copyInto,
  emptyFolder,
  findVersion,
  listFiles,
  ROOT_PACKAGE,
  transpileInto,
  writePackageFile,
} from './package-folder.ts';

const EXAMPLES = 'kit/testing/example-events.json';
const DOCUMENTS = ['schemas', 'asyncapi.json', 'events', 'events.md', 'subscribing.md', 'webhooks.md'];

/** The oldest Node that the kit runs on: the first with `hash` of `node:crypto`. A test runs it there. */
const LOWEST_NODE = '20.12.0';

/** What subscribers install: the kit, the schemas of events, and the documents about them. */
export function writeSubscribers(name: string, folder: string): void {
  emptyFolder(folder);
  compileInto(folder, 'tsconfig.subscribers.json');
  for (const document of DOCUMENTS) copyInto(folder, `docs/${document}`);
  copyInto(folder, EXAMPLES);
  copyInto(folder, 'kit/README.md', 'README.md');
  copyInto(folder, 'LICENSE');
  const dependencies = ['standardwebhooks', 'zod'];
  writePackageFile(folder, {
    name,
    description: 'Typed events of the workforce change notifier: parse, verify, order and fold them',
    exports: {
      '.': { types: './kit/main.d.ts', default: './kit/main.js' },
      './testing': { types: './kit/testing.d.ts', default: './kit/testing.js' },
      './schemas/*.json': './docs/schemas/*.json',
      './asyncapi.json': './docs/asyncapi.json',
      './package.json': './package.json',
    },
    // Of compilers and tools that do not read `exports`.
    main: './kit/main.js',
    types: './kit/main.d.ts',
    sideEffects: false,
    engines: { node: `>=${LOWEST_NODE}` },
    dependencies: Object.fromEntries(dependencies.map((each) => [each, findVersion(each)])),
  });
}

/** `kit`: the examples, which the command `test` sends. */
const ROOMS = ['bin', 'cli', 'console', 'infra', 'kit', 'local', 'shared'];
/**
 * Parts of the operator's own CDK app, of which there must be one, with the lowest version that the construct was tried
 * with. The highest is the one of this repository.
 */
const LOWEST_PEERS = { 'aws-cdk-lib': '2.255.0', constructs: '10.5.0' } as const;
const PEERS = Object.keys(LOWEST_PEERS);
/**
 * Packages that ask for a newer Node than a host may have, of which npm would warn although a project brings its own
 * Node. They are part of the package, so that npm does not see them.
 */
const BUNDLED = ['fauxqs', 'ky'];
const IMPORT_OF_BUNDLED = new RegExp(`(?<=\\b(?:from |import\\()")(${BUNDLED.join('|')})(?=")`, 'g');
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
/** CommonJS in them requires modules of Node. */
const WITH_REQUIRE =
  "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";
/** What only this repository needs at run time: the package has its functions bundled. */
const BUILT_AHEAD = ['esbuild'];
const PROGRAM = 'bin/run-notifier.js';
/** A package that a module imports, or loads later: `@aws-sdk/client-sqs` of `@aws-sdk/client-sqs/x`. */
const PACKAGE = /(?:\bfrom|\bimport\(?)\s*['"](?<name>(?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^'"]*)?['"]/g;

/** What operators install: the construct, the functions as they are deployed, the commands, the console. */
export function writeOperators(name: string, folder: string): void {
  emptyFolder(folder);
  transpileInto(folder, ROOMS);
  copyInto(folder, EXAMPLES);
  const packages = listPackages(folder);
  compileInto(folder, 'tsconfig.declarations.json');
  writeLicences(folder, [bundlePackages(folder), ...bundleFunctions(folder)]);
  copyInto(folder, 'console/pages/assets');
  writeProgram(folder);
  copyInto(folder, 'docs');
  rmSync(join(folder, 'docs/console'), { recursive: true });
  writeReadme(folder);
  copyInto(folder, 'LICENSE');
  writePackageFile(folder, {
    name,
    description: 'Workforce change notifier: a construct of the AWS CDK, its config and its commands',
    exports: {
      '.': { types: './infra/notifier-stack.d.ts', default: './infra/notifier-stack.js' },
      './config': { types: './infra/config.d.ts', default: './infra/config.js' },
      './package.json': './package.json',
    },
    // Of compilers and tools that do not read `exports`.
    main: './infra/notifier-stack.js',
    types: './infra/notifier-stack.d.ts',
    typesVersions: { '*': { config: ['./infra/config.d.ts'] } },
    bin: { notifier: `./${PROGRAM}` },
    dependencies: Object.fromEntries(packages.map((each) => [each, findVersion(each)])),
    // The embedded DynamoDB, of which npm installs the one for the platform.
    optionalDependencies: ROOT_PACKAGE.optionalDependencies,
    peerDependencies: Object.fromEntries(
      Object.entries(LOWEST_PEERS).map(([each, lowest]) => [each, `^${lowest}`]),
    ),
  });
}

/** With the versions that the construct was tried with. */
function writeReadme(folder: string): void {
  const text = readFileSync(join(PROGRAM_ROOT, 'workshop/packages/operators.md'), 'utf8');
  const cdk = 'aws-cdk-lib';
  const tried = text.replace('{lowest}', LOWEST_PEERS[cdk]).replace('{highest}', findVersion(cdk));
  writeFileSync(join(folder, 'README.md'), tried);
}

/** Packages that the compiled modules import, without those of Node. */
function listPackages(folder: string): string[] {
  const names = listFiles(folder)
    .filter((path) => path.endsWith('.js'))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(PACKAGE)])
    .map(({ groups }) => groups?.name ?? '');
  const others = [...PEERS, ...BUILT_AHEAD, ...BUNDLED];
  return [...new Set(names)].filter((name) => !others.includes(name)).sort();
}

/** Makes one module of each of these packages, and lets the modules of this one import that. */
function bundlePackages(folder: string): Metafile {
  for (const file of listFiles(folder).filter((path) => path.endsWith('.js'))) {
    const text = readFileSync(file, 'utf8');
    const rewritten = text.replace(IMPORT_OF_BUNDLED, (_, name: string) =>
      join(relative(dirname(file), folder), 'packages', `${name}.js`),
    );
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
  return buildSync({
    absWorkingDir: PROGRAM_ROOT,
    entryPoints: BUNDLED,
    outdir: join(folder, 'packages'),
    banner: { js: WITH_REQUIRE },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  }).metafile;
}

/** Each function as it is deployed, and the digests of all. */
function bundleFunctions(folder: string): Metafile[] {
  const bundles: Metafile[] = [];
  const digests = listFunctions().map((name) => {
    const outfile = join(folder, 'functions', name, BUNDLE_FILE);
    bundles.push(buildSync({ ...buildEsbuildOptions(name), outfile, metafile: true }).metafile);
    return [name, createHash('sha256').update(readFileSync(outfile)).digest('hex')];
  });
  writeFileSync(
    join(folder, 'functions/digests.json'),
    `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`,
  );
  return bundles;
}

/** The licence of every package with code in a bundle, as its text asks for. */
function writeLicences(folder: string, bundles: readonly Metafile[]): void {
  const inputs = bundles.flatMap((bundle) => Object.keys(bundle.inputs));
  const packages = new Set(inputs.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []));
  const texts = [...packages].sort().map((path) => {
    const from = join(PROGRAM_ROOT, path.slice(path.indexOf('node_modules')));
    const { name, version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    const file = readdirSync(from).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : readFileSync(join(from, file), 'utf8').trim();
    return `## ${name} ${version}: ${license}\n\n${text}\n`;
  });
  writeFileSync(join(folder, 'LICENSES.md'), texts.join('\n'));
}

/** Starts the commands, unless the Node is too old to read their first line. */
function writeProgram(folder: string): void {
  const version = findVersion('node');
  const major = Number.parseInt(version, 10);
  const refusal = `The notifier needs Node ${major}, and this is \${process.version}. Run it by an npm script of a project that has node ${version} among its devDependencies.`;
  const lines = [
    '#!/usr/bin/env node',
    `if (Number.parseInt(process.versions.node, 10) >= ${major}) await import('./notifier.js');`,
    `else {`,
    `  console.error(\`${refusal}\`);`,
    '  process.exitCode = 1;',
    '}',
  ];
  writeFileSync(join(folder, PROGRAM), `${lines.join('\n')}\n`, { mode: 0o755 });
}

/** What a project installs beside the notifier. */
const PROJECT_PACKAGES = ['aws-cdk', 'aws-cdk-lib', 'constructs', 'node'];

/** What `npm create workforce-notifier` runs: one file that needs no other package. */
export function writeCreator(name: string, folder: string): void {
  emptyFolder(folder);
  buildSync({
    absWorkingDir: PROGRAM_ROOT,
    entryPoints: ['cli/create-project/main.ts'],
    outfile: join(folder, 'main.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  copyInto(folder, 'workshop/packages/creator.md', 'README.md');
  copyInto(folder, 'cdk.json');
  for (const file of ['check.mjs', 'digests.json'])
    copyInto(folder, `infra/pinned-node/${file}`, `pinned-node/${file}`);
  copyInto(folder, 'LICENSE');
  writePackageFile(folder, {
    name,
    description: 'Writes a project that runs and deploys the workforce change notifier',
    bin: { [name]: './main.js' },
    projectVersions: {
      'workforce-change-notifier-cdk': ROOT_PACKAGE.version,
      ...Object.fromEntries(PROJECT_PACKAGES.map((each) => [each, findVersion(each)])),
    },
  });
}
