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
      '  npm start                                                   # a sample company, on this machine',
      '  npx notifier init --base-url https://workforce.example.com  # ask your source, and write the config',
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
    'cdk.json': renderCdkJson(context),
    '.gitignore': GIT_IGNORE,
    '.github/workflows/deploy.yml': DEPLOY_WORKFLOW,
  };
}

/** A file of the package, which `workshop/packages/published.ts` writes. */
function readOwn<T>(name: string): T {
  return JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), name), 'utf8')) as T;
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

/** The scripts are those of this repository, so that every document holds for both. */
const SCRIPTS = {
  start: 'notifier start',
  notifier: 'notifier',
  synth: 'cdk synth --quiet',
  deploy: 'cdk deploy',
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
  const settings = { app: 'npx --no-install workforce-notifier-app', versionReporting: false, context };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

const GIT_IGNORE = ['node_modules/', 'cdk.out/', '.data/', '.cache/', ''].join('\n');

/** Deploys what is on main, with a role that trusts this repository by OIDC: no key is stored. */
const DEPLOY_WORKFLOW = `name: deploy
on:
  push:
    branches: [main]
  workflow_dispatch:
permissions:
  id-token: write
  contents: read
concurrency: deploy
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npx cdk synth --quiet
      # The role trusts token.actions.githubusercontent.com for this repository and branch; it may assume the roles of
      # the CDK's bootstrap (cdk-*), and nothing else.
      - uses: aws-actions/configure-aws-credentials@v5
        with:
          role-to-assume: \${{ vars.DEPLOY_ROLE_ARN }}
          aws-region: \${{ vars.AWS_REGION }}
      - run: npx cdk deploy --require-approval never
      - run: npx notifier doctor
`;

process.exitCode = main(process.argv.slice(2));
