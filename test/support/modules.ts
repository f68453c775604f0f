import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Import {
  /** A path of this repository, or the name of a package. */
  readonly target: string;
  readonly typesOnly: boolean;
}

export interface Module {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const CLAUSE = String.raw`(?<clause>(?:type\s+)?(?:[\w$]+\s*,?\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^{}]*\})?)`;
/** A statement that imports, or exports from another module. */
export const STATEMENT = new RegExp(
  String.raw`^[ \t]*(?:import|export)\s*(?:${CLAUSE}\s*from\s*)?(?<quote>['"])(?<from>[^'"\n]+)\k<quote>`,
  'gm',
);
const EXPRESSION = /\bimport\s*\(\s*(?<quote>['"])(?<from>[^'"\n]+)\k<quote>/g;

/** Every TypeScript module below some folders, which need not exist. */
export function listModules(folders: readonly string[]): readonly Module[] {
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
        .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules/'))
        .sort()
        .map(readModule),
    );
}

/** The modules that some of these run: themselves, and what they import for more than its types. */
export function listReachable(modules: readonly Module[], from: readonly string[]): readonly Module[] {
  const known = new Map(modules.map((module) => [module.path, module]));
  const seen = new Set<Module>();
  const visit = (path: string) => {
    const module = known.get(path);
    if (module === undefined || seen.has(module)) return;
    seen.add(module);
    for (const { target, typesOnly } of module.imports) if (!typesOnly) visit(target);
  };
  from.forEach(visit);
  return [...seen];
}

function readModule(path: string): Module {
  const text = readFileSync(path, 'utf8');
  return { path, text, imports: parseImports(text, path) };
}

/** The imports of a module with this text, at this path. */
function parseImports(text: string, path: string): Import[] {
  const code = stripComments(text);
  return [...code.matchAll(STATEMENT), ...code.matchAll(EXPRESSION)].map(({ groups = {} }) => ({
    target: resolveTarget(groups.from ?? '', path),
    typesOnly: isTypesOnly(groups.clause ?? ''),
  }));
}

function isTypesOnly(clause: string): boolean {
  if (/^type\s/.test(clause)) return true;
  const names = /^\{([^{}]*)\}$/
    .exec(clause.trim())?.[1]
    ?.split(',')
    .map((name) => name.trim());
  return names?.filter((name) => name !== '').every((name) => name.startsWith('type ')) ?? false;
}

function resolveTarget(from: string, path: string): string {
  if (from === '#config') return 'notifier.config.ts';
  if (from.startsWith('#')) return from.slice(1);
  return from.startsWith('.') ? join(dirname(path), from).replaceAll('\\', '/') : from;
}

/** Code without comments. A string that looks like a comment stays. */
export function stripComments(text: string): string {
  const textOrComment =
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replaceAll(textOrComment, (_, kept: string | undefined) => kept ?? '');
}
