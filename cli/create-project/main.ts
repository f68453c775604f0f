#!/usr/bin/env node
/** `npm create workforce-notifier my-notifier`: writes a project that installs the notifier. Runs on any Node that npm runs on. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATORS_PACKAGE, renderConfig, UNANSWERED } from '../init/render-config.ts';

const HELP = `Usage: npm create workforce-notifier [folder]

Writes a project into the folder, default ".": its config, its CDK app, and a
workflow that deploys it. Files that are there are never written over.`;

function main([target = '.', ...others]: readonly string[]): number {
  if (target === '--help' || target === '-h') return print(HELP);
  if (others.length > 0 || target.startsWith('-'))
    return refuse(`give one folder, not ${[target, ...others].join(' ')}`);
  const folder = resolve(target);
  const files = listFiles(toPackageName(basename(folder)));
  const there = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  if (there.length > 0) return refuse(`${folder} has ${there.join(', ')} already; name an empty folder`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const enter = target === '.' ? [] : [`  cd ${target}`];
  return print(
    [
      `${Object.keys(files).length} files are written. Next:`,
      ...enter,
      '  npm install',
      '  npm start         # a sample company, on this machine',
      '  npm run notifier -- init --base-url https://workforce.example.com --time-zone Pacific/Auckland',
      '  npx cdk deploy',
    ].join('\n'),
  );
}

function listFiles(name: string): Record<string, string> {
  const { projectVersions } = readOwn<{ readonly projectVersions: Versions }>('package.json');
  const { context } = readOwn<{ readonly context: unknown }>('cdk.json');
  return {
    'package.json': renderManifest(name, projectVersions),
    'notifier.config.ts': renderConfig(UNANSWERED),
    'app.ts': APP,
    'cdk.json': renderCdkJson(context),
    '.gitignore': GIT_IGNORE,
    '.github/workflows/deploy.yml': DEPLOY_WORKFLOW,
    ...Object.fromEntries(PINNED_NODE.map((path) => [path, readText(path)])),
  };
}

/** A file of the package, which `workshop/packages/published.ts` writes. */
function readOwn<T>(name: string): T {
  return JSON.parse(readText(name)) as T;
}

function readText(name: string): string {
  return readFileSync(join(dirname(fileURLToPath(import.meta.url)), name), 'utf8');
}

/** A name that npm accepts. */
function toPackageName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'notifier' : name;
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function refuse(reason: string): number {
  console.error(`Nothing is written: ${reason}.`);
  return 1;
}

/** Versions of the packages that a project installs, by name. */
type Versions = Readonly<Record<string, string>>;

/** Compares the Node that npm installed with its digest, as this repository does. */
const PINNED_NODE = ['pinned-node/check.mjs', 'pinned-node/digests.json'];

/** The scripts are those of this repository, so that every document holds for both. */
const SCRIPTS = {
  start: 'notifier start',
  notifier: 'notifier',
  synth: 'cdk synth --quiet',
  deploy: 'cdk deploy',
  // On the Node that npm itself runs on: by its name in a shell, or else in the one of Windows.
  prepare: ['$npm_node_execpath', '%npm_node_execpath%']
    .map((node) => `"${node}" ${PINNED_NODE[0]}`)
    .join(' || '),
};

function renderManifest(name: string, versions: Versions): string {
  const manifest = {
    name,
    private: true,
    type: 'module',
    scripts: SCRIPTS,
    // The lock file pins it, and `npm update` takes what replaces nothing: every version of its major one.
    dependencies: { [OPERATORS_PACKAGE]: `^${versions[OPERATORS_PACKAGE]}` },
    // `node` is the one that Lambda runs: scripts and npx use it, whatever the machine has.
    devDependencies: Object.fromEntries(
      Object.entries(versions).filter(([each]) => each !== OPERATORS_PACKAGE),
    ),
    // Of npm versions that ask before a package may run its installation.
    allowScripts: { node: true },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** With the feature flags of this repository's `cdk.json`, so that a project gets the template that was tested. */
function renderCdkJson(context: unknown): string {
  const settings = { app: 'npx --no-install node app.ts', versionReporting: false, context };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

const APP = [
  "import { App } from 'aws-cdk-lib';",
  `import { NotifierStack } from '${OPERATORS_PACKAGE}';`,
  "import config from './notifier.config.ts';",
  '',
  'const app = new App();',
  "// Where: env: { account: '123456789012', region: 'ap-southeast-2' } beside config; without it, where the credentials are.",
  'new NotifierStack(app, { config });',
  '// Another stage: another NotifierStack, of a config with a stackName of its own.',
  "// Tags of all parts: Tags.of(app).add('costCentre', '4711');",
  '// A boundary of all roles: PermissionsBoundary.of(app).apply(...), as docs/in-your-company.md of the package shows.',
  '',
].join('\n');

const GIT_IGNORE = ['node_modules/', 'cdk.out/', '.data/', '.cache/', ''].join('\n');

/** Actions by the commits that their versions name: a tag can be moved. */
const ACTIONS = {
  checkout: 'actions/checkout@93cb6efe18208431cddfb8368fd83d5badbf9bfd # v5.0.1',
  setupNode: 'actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444 # v5.0.0',
  upload: 'actions/upload-artifact@330a01c490aca151604b8cf639adc76d48f6c5d4 # v5.0.0',
  download: 'actions/download-artifact@018cc2cf5baa6db3ef3c5f8a56943fffe632ef53 # v6.0.0',
  credentials: 'aws-actions/configure-aws-credentials@61815dcd50bd041e203e49132bacad1fd04d2708 # v5.1.1',
};

/** Without a cache, which other workflows of the repository could fill. */
const CHECKED_OUT = `      - uses: ${ACTIONS.checkout}
        with:
          persist-credentials: false
      - uses: ${ACTIONS.setupNode}
        with:
          node-version: 24
          package-manager-cache: false
      - run: npm ci --ignore-scripts`;

/** Deploys what is on main, with a role that trusts this repository by OIDC: no key is stored. */
const DEPLOY_WORKFLOW = `name: deploy
on:
  push:
    branches: [main]
  workflow_dispatch:
permissions: {}
concurrency: deploy
jobs:
  # Makes the template, without credentials.
  build:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
${CHECKED_OUT}
      # The one package whose install script is needed: it fetches Node, which is compared before anything runs on it.
      - run: npm rebuild node
      - run: node pinned-node/check.mjs
      - run: npx cdk synth --quiet
      - uses: ${ACTIONS.upload}
        with:
          name: cdk.out
          path: cdk.out
          if-no-files-found: error
          retention-days: 1
  # Deploys what was built, and builds nothing. docs/in-your-company.md has the trust policy of the role.
  deploy:
    needs: build
    if: github.ref == 'refs/heads/main'
    runs-on: ubuntu-latest
    environment: production
    permissions:
      contents: read
      id-token: write
    steps:
${CHECKED_OUT}
      - uses: ${ACTIONS.download}
        with:
          name: cdk.out
          path: cdk.out
      - uses: ${ACTIONS.credentials}
        with:
          role-to-assume: \${{ vars.DEPLOY_ROLE_ARN }}
          aws-region: \${{ vars.AWS_REGION }}
      - run: npx cdk deploy --app cdk.out --require-approval never
      - run: npx notifier doctor
`;

process.exitCode = main(process.argv.slice(2));
