import { existsSync, globSync, readFileSync } from 'node:fs';

/** A path in a comment, followed by code of that file, which a test runs. */
const TAKEN_CODE = /<!-- (?<path>[\w./-]+\.ts) -->\n```ts\n(?<code>[\s\S]*?)```/g;
/** A document in a comment, followed by lines of it that a program wrote. */
const QUOTED_LINES = /<!-- (?<path>[\w./-]+\.md) -->\n```text\n(?<lines>[\s\S]*?)```/g;
const BACKTICKED = /`(?<token>[^`\s]+)`/g;
const LINK = /\]\((?<target>[^)\s]+)\)/g;
const PATH = /^[\w.-]+(?:\/[\w.-]+)*\/?$/;
const FILE = /\.(?:ts|json|md)$/;
const FENCED = /^```[\s\S]*?^```/gm;
const ROOMS = [
  '.ci',
  'workshop',
  'bin',
  'cli',
  'console',
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

/** All documents of this repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'kit/README.md',
  'workshop/bench/README.md',
  'workshop/deployed/README.md',
  'test/fortnight/fortnight.md',
  ...globSync('docs/**/*.md').sort(),
];

/** TypeScript in a document. */
export interface ShownCode {
  /** Number of blocks, with or without a file. */
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

/** Lines that a document quotes of another, which a program wrote. */
export function findQuotedLines(document: string): { readonly path: string; readonly line: string }[] {
  const quotes = readFileSync(document, 'utf8').matchAll(QUOTED_LINES);
  return [...quotes].flatMap(({ groups: { path = '', lines = '' } = {} }) =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => ({ path, line })),
  );
}

/** Removes indentation and empty lines: a document shows code without its outer indentation. */
export function normalizeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Paths and names of files in backticks. */
export function findNamedPaths(text: string): string[] {
  const tokens = [...text.replace(FENCED, '').matchAll(BACKTICKED)].map(({ groups }) => groups?.token ?? '');
  return tokens.filter((token) => PATH.test(token) && (FILE.test(token) || ROOM.test(token)));
}

/** Relative links of a document, as paths from the root of the repository. */
export function findLinks(document: string): string[] {
  const text = readFileSync(document, 'utf8').replace(FENCED, '');
  const folder = document.includes('/') ? document.slice(0, document.lastIndexOf('/') + 1) : '';
  return [...text.matchAll(LINK)]
    .map(({ groups }) => (groups?.target ?? '').replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
    .map((target) => `${folder}${target}`);
}

/** Every file that a document may name. */
export function listFiles(): readonly string[] {
  return [...globSync(['*', '.*']), ...ROOMS.flatMap((room) => globSync(`${room}/**/*`))].filter(
    (path) => !path.includes('node_modules'),
  );
}

/** Of a project that `npm create` wrote; here `infra/app.ts` takes its place. */
const OF_A_PROJECT = 'app.ts';

/** Whether a path names one file or folder: it exists, or, if it begins with no room, exactly one file ends with it. */
export function isClear(named: string, files: readonly string[]): boolean {
  if (named === OF_A_PROJECT) return true;
  const path = named.replace(/\/$/, '');
  if (existsSync(path)) return true;
  if (ROOM.test(path)) return false;
  const end = path.startsWith(PACKAGE) ? path.slice(PACKAGE.length) : path;
  return files.filter((file) => file.endsWith(`/${end}`)).length === 1;
}
