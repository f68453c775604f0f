import { existsSync, globSync, readFileSync } from 'node:fs';

/** A path in a comment, and the code that follows: taken from that file, which a test runs. */
const TAKEN_CODE = /<!-- (?<path>[\w./-]+\.ts) -->\n```ts\n(?<code>[\s\S]*?)```/g;
const BACKTICKED = /`(?<token>[^`\s]+)`/g;
const LINK = /\]\((?<target>[^)\s]+)\)/g;
const PATH = /^[\w.-]+(?:\/[\w.-]+)*\/?$/;
const FILE = /\.(?:ts|json|md)$/;
const FENCED = /^```[\s\S]*?^```/gm;
const ROOMS = [
  '.ci',
  'bench',
  'cli',
  'docs',
  'examples',
  'functions',
  'infra',
  'kit',
  'local',
  'shared',
  'test',
];
const ROOM = new RegExp(`^(?:${ROOMS.join('|').replace('.', '\\.')})/`);
const PACKAGE = 'workforce-change-notifier/';

/** Everything people read in this repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...globSync('docs/**/*.md').sort(),
];

/** Code of TypeScript that a document shows. */
export interface ShownCode {
  /** Blocks of code, whether or not they name a file. */
  readonly blocks: number;
  readonly taken: readonly { readonly path: string; readonly code: string }[];
}

export function findShownCode(document: string): ShownCode {
  const text = readFileSync(document, 'utf8');
  const taken = [...text.matchAll(TAKEN_CODE)].map(({ groups }) => ({
    path: groups?.path ?? '',
    code: groups?.code ?? '',
  }));
  return { blocks: text.match(/```ts/g)?.length ?? 0, taken };
}

/** Lines without indentation, since a document shows code without that of its surroundings. */
export function normalizeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Paths and names of files that a text has in backticks. */
export function findNamedPaths(text: string): string[] {
  const tokens = [...text.replace(FENCED, '').matchAll(BACKTICKED)].map(({ groups }) => groups?.token ?? '');
  return tokens.filter((token) => PATH.test(token) && (FILE.test(token) || ROOM.test(token)));
}

/** Relative links of a document, as paths of the repository. */
export function findLinks(document: string): string[] {
  const text = readFileSync(document, 'utf8').replace(FENCED, '');
  const folder = document.includes('/') ? document.slice(0, document.lastIndexOf('/') + 1) : '';
  return [...text.matchAll(LINK)]
    .map(({ groups }) => (groups?.target ?? '').replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
    .map((target) => `${folder}${target}`);
}

/** Every file of the repository that a document may point to. */
export function listFiles(): readonly string[] {
  return [...globSync(['*', '.*']), ...ROOMS.flatMap((room) => globSync(`${room}/**/*`))].filter(
    (path) => !path.includes('node_modules'),
  );
}

/** Whether a path stands for one thing: it is there, or exactly one file ends with it. */
export function isClear(named: string, files: readonly string[]): boolean {
  const path = named.replace(/\/$/, '');
  if (existsSync(path)) return true;
  const end = path.startsWith(PACKAGE) ? path.slice(PACKAGE.length) : path;
  return files.filter((file) => file.endsWith(`/${end}`)).length === 1;
}
