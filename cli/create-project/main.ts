#!/usr/bin/env node
/** `npm create workforce-notifier my-notifier`: writes a project that installs the notifier. Runs on any Node that npm runs on. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderConfig, UNANSWERED } from '../init/render-config.ts';
import {
  DEPLOY_WORKFLOW,
  GIT_IGNORE,
  renderCdkJson,
  renderManifest,
  type Versions,
} from './project-files.ts';

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

/** A file of the package, which `workshop/packages/creator.ts` writes. */
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

process.exitCode = main(process.argv.slice(2));
