import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A path in a comment, followed by code of that file, which a test runs. */
const TAKEN_CODE = /<!-- (?<path>[\w./-]+\.(?:ts|tf)) -->\n```(?:ts|tf)\n(?<code>[\s\S]*?)```/g;
/** A document in a comment, followed by lines of it that a program wrote. */
const QUOTED_LINES = /<!-- (?<path>[\w./-]+\.md) -->\n```text\n(?<lines>[\s\S]*?)```/g;
const ADDRESS = /\b[a-z]+:\/\/[^\s)`'"]+/g;
const LINK = /\]\((?!#|[a-z]+:)(?<path>[^)\s#]*)(?:#(?<anchor>[^)\s]*))?\)/g;
const OWN_LINK = /\]\(#(?<anchor>[^)\s]+)\)/g;
const HEADING = /^#+ (?<text>.+)$/gm;
/** Not within a longer word, a path from `/`, or after what is filled in: `{stack}-poll/x.ts`. */
const TOKEN = /(?<![\w/.@{}<>*~$:#-])(?:\.{1,2}\/)*\.?[\w@-][\w.@-]*(?:\/[\w.@-]+)*\/?/g;
const FILE = /\w\.(?:ts|mjs|cjs|json|md|py|go|cs|yml|tf|toml|txt|png|sh)$/;
const SOURCES = ['ts', 'mjs', 'py', 'go'];
/** Folders at the top, each with its `/`. */
const ROOMS: ReadonlySet<string> = new Set(listEntries().filter((entry) => entry.endsWith('/')));
const PACKAGE = 'workforce-change-notifier/';

/** What is in no checkout, and who makes it. */
export const MADE: Readonly<Record<string, string>> = {
  'app.ts': '`npm create workforce-notifier`, in a project',
  '.github/workflows/deploy.yml': 'the same',
  'functions/digests.json': 'a release, in the package of operators',
  'machine.json': 'a run of `npm start`, in its data folder',
  'there.config.ts': 'the reader, to move to another account',
};

/** All documents of this repository. */
export const DOCUMENTS: readonly string[] = globSync([
  '*.md',
  'docs/**/*.md',
  '{kit,workshop,examples}/**/*.md',
  'test/{fixtures,messages}/**/*.md',
])
  // Written into docs/events.md, from where its links lead.
  .filter((path) => !path.startsWith('workshop/documents/pages/'))
  .sort();

/** Pages of packages: their code imports a package by its name, and is in no file here. */
export const OF_PACKAGES: readonly string[] = ['kit/README.md', 'workshop/packages/operators.md'];

/** TypeScript and Terraform in a document. */
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
  return { blocks: text.match(/```(?:ts|tf)\n/g)?.length ?? 0, taken };
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

/** Paths and names of files, wherever they stand: in words, tables, links, backticks and blocks of code. */
export function findNamedPaths(text: string): string[] {
  const tokens = text.replaceAll(ADDRESS, '').match(TOKEN) ?? [];
  return tokens
    .map((token) => token.replace(/\.+$/, ''))
    .filter((token) => FILE.test(token) || ROOMS.has(token.slice(0, token.indexOf('/') + 1)));
}

/** A link that leads into this repository: to a file, or to a heading of it. */
export interface Link {
  readonly path: string;
  readonly anchor: string | null;
}

/** Links of a document, as paths from the root of the repository. */
export function findLinks(document: string): Link[] {
  const text = readFileSync(document, 'utf8');
  const others = [...text.matchAll(LINK)].map(({ groups: { path = '', anchor = undefined } = {} }) => ({
    path: normalize(join(dirname(document), path)),
    anchor: anchor ?? null,
  }));
  const own = [...text.matchAll(OWN_LINK)].map(({ groups }) => ({
    path: document,
    anchor: groups?.anchor ?? '',
  }));
  return [...others, ...own];
}

/** Mentions of documents in code: in comments, and in what people read of a program. */
export function findMentions(): (Link & { readonly file: string })[] {
  const files = listFiles().filter((file) => SOURCES.some((extension) => file.endsWith(`.${extension}`)));
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?<path>docs\/[\w./-]+\.md)(?:#(?<anchor>[\w-]+))?/g)].map(
      ({ groups: { path = '', anchor = undefined } = {} }) => ({ file, path, anchor: anchor ?? null }),
    ),
  );
}

export function leadsSomewhere({ path, anchor }: Link): boolean {
  if (!existsSync(path)) return false;
  return anchor === null || listAnchors(path).includes(anchor);
}

/** As GitHub makes them of headings. */
function listAnchors(document: string): string[] {
  return [...readFileSync(document, 'utf8').matchAll(HEADING)].map(({ groups: { text = '' } = {} }) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Every file that a document may name. */
export function listFiles(): readonly string[] {
  return [...globSync(['*', '.*']), ...[...ROOMS].flatMap((room) => globSync(`${room}**/*`))].filter(
    (path) => !path.includes('node_modules'),
  );
}

/** Whether a path names one file or folder: from the root, from its document, or, if it begins with no room, by its end. */
export function isClear(named: string, files: readonly string[], document = ''): boolean {
  if (Object.keys(MADE).some((made) => named === made || named.endsWith(`/${made}`))) return true;
  const path = named.replace(/\/$/, '');
  if (existsSync(path) || existsSync(join(dirname(document), path))) return true;
  if (ROOMS.has(path.slice(0, path.indexOf('/') + 1))) return false;
  const end = path.startsWith(PACKAGE) ? path.slice(PACKAGE.length) : path;
  return files.filter((file) => file.endsWith(`/${end}`)).length === 1;
}

/** What lies at the top and is committed, folders with their `/`. */
export function listEntries(): readonly string[] {
  const ignored = new Set(['.git', ...readFileSync('.gitignore', 'utf8').split('\n').map(trimSlashes)]);
  return readdirSync('.', { withFileTypes: true })
    .filter(({ name }) => !ignored.has(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
}

function trimSlashes(line: string): string {
  return line.replaceAll('/', '');
}
