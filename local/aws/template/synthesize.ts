import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM_ROOT, PROJECT_ROOT } from '#infra/project-root.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** The CDK app, from the root of the program; in the installed package it is JavaScript. */
const APP = relative(PROGRAM_ROOT, fileURLToPath(new URL('../../../infra/app.ts', import.meta.url)));
/** What affects the template or the bundled code: of the program, and of the operator's project. */
const PROGRAM_INPUTS = ['infra', 'functions', 'shared'];
const PROJECT_INPUTS = ['notifier.config.ts', 'package-lock.json', 'cdk.json'];
/** Path of another config than `notifier.config.ts`; read by `infra/app.ts`. */
const CONFIG_VARIABLE = 'NOTIFIER_CONFIG';
/** Enough to switch between a few states of the code. */
const MAX_KEPT_ASSEMBLIES = 6;
const MAX_ERROR_CHARACTERS = 100_000;

/** Folders of the program and of the operator's project, which are one in this repository. */
interface Places {
  readonly program: string;
  readonly project: string;
}

/**
 * Returns the folder of the cloud assembly of the current CDK app, from the cache when the inputs are unchanged. `note`
 * is called before a synthesis, `data` names the data folder. Throws a `NotifierError` (`synth_failed`,
 * `cache_unwritable`).
 */
export async function synthesize(
  note: (text: string) => void,
  { program = PROGRAM_ROOT, project = PROJECT_ROOT, data }: Partial<Places & { readonly data: string }> = {},
): Promise<string> {
  const places = { program, project };
  const cache = makeCacheFolder(project, data);
  const folder = join(cache, hashInputs(places));
  if (existsSync(folder)) {
    const now = new Date();
    utimesSync(folder, now, now);
    return folder;
  }
  note('synthesizing the template, once for this state of the code');
  // Keeps the "type" of this project's package.json from applying to the bundles.
  writeFileSync(join(cache, 'package.json'), '{}\n');
  const scratch = mkdtempSync(join(cache, 'new-'));
  await runApp(places, scratch);
  moveInto(scratch, folder);
  prune(cache);
  return folder;
}

/**
 * The folder for what is built, which is run: beside the project, or where that cannot be written, such as a read-only
 * container or the checkout of somebody else, in the data folder. Makes it.
 */
function makeCacheFolder(project: string, data: string | undefined): string {
  const folders = [join(project, '.cache', 'synth'), ...(data === undefined ? [] : [resolve(data, 'built')])];
  const found = folders.find(isWritable);
  if (found !== undefined) return found;
  throw new NotifierError(
    'cache_unwritable',
    `what is built cannot be kept in ${folders.join(' or ')}; name a folder that can be written with --data`,
  );
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function hashInputs({ program, project }: Places): string {
  const hash = createHash('sha256');
  const config = process.env[CONFIG_VARIABLE] ?? '';
  const ofProject = config === '' ? PROJECT_INPUTS : [...PROJECT_INPUTS, config];
  const inputs = [
    ...PROGRAM_INPUTS.map((input) => ({ root: program, input })),
    ...ofProject.map((input) => ({ root: project, input })),
  ];
  for (const { root, input } of inputs) {
    for (const file of listFiles(resolve(root, input))) {
      const content = readFileSync(file);
      hash.update(`${relative(root, file)} ${content.length}\n`).update(content);
    }
  }
  return hash.digest('hex').slice(0, 24);
}

/** Files under a path in a stable order; the path itself when it is a file, none when there is nothing. */
function listFiles(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => listFiles(join(path, name)));
}

async function runApp({ program, project }: Places, folder: string): Promise<void> {
  const child = spawn(process.execPath, [join(program, APP)], {
    cwd: project,
    env: {
      ...process.env,
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify(readAppContext(project)),
      // The CDK's checks take longer than the synthesis; `npx cdk synth` and the tests run them.
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(0, MAX_ERROR_CHARACTERS);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  rmSync(folder, { recursive: true, force: true });
  const lines = errors.split('\n').filter((line) => line.trim() !== '');
  const reason = (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? `exit code ${code}`).trim();
  throw new NotifierError(
    'synth_failed',
    `cannot synthesize the CDK app (${reason}); run \`npx cdk synth\` for details`,
  );
}

/** The context that the CDK command line would pass to the app. */
function readAppContext(project: string): unknown {
  const file = join(project, 'cdk.json');
  if (!existsSync(file)) return {};
  return (JSON.parse(readFileSync(file, 'utf8')) as { context?: unknown }).context ?? {};
}

/** Another run may have been faster; then its assembly is used. */
function moveInto(scratch: string, folder: string): void {
  try {
    renameSync(scratch, folder);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

function prune(cache: string): void {
  const byAge = readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ path: join(cache, name), usedAt: statSync(join(cache, name)).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt);
  for (const { path } of byAge.slice(MAX_KEPT_ASSEMBLIES)) rmSync(path, { recursive: true, force: true });
}
