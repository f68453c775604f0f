import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listFunctions } from '#test/support/functions.ts';
import { type Import, listModules, type Module, STATEMENT, stripComments } from '#test/support/modules.ts';

const FOLDERS = 'bin shared functions infra cli console kit local workshop docs examples test'.split(' ');
/** The stages of core as data flows; `events` says what a change is. Each imports those before it, and what has none. */
const STAGES = 'outcome records periods snapshot plan look events compare commit trouble'.split(' ');
/** Rooms of core beside the stages. */
const ROOMS_BESIDE = ['definitions'];
/** Rooms of shared that are no feature. */
const NO_FEATURES = ['core', 'flow', 'adapters', 'config', 'terminal', 'operator'];
const MAX_LINES = 400;
const MAX_FUNCTION_LINES = 50;

const EXPORTED = /^export (?:async )?(?:function\*?|const|class|interface|type) (?<name>\w+)/gm;

const modules = listModules(FOLDERS);
const features = [
  ...new Set(within('shared/').flatMap(({ path }) => /^shared\/([^/]+)\//.exec(path)?.[1] ?? [])),
].filter((room) => !NO_FEATURES.includes(room));
/** What waits for the outside: the poll, and the flow of a feature. */
const FLOW = new RegExp(`^shared/(?:(?:${features.join('|')})/)?flow/`);
/** What computes: core, and whatever of a feature is not its flow. */
const PURE = new RegExp(`^shared/(?:core/|(?:${features.join('|')})/(?!flow/))`);

describe('the check itself', () => {
  test('saw every part of the product', () => {
    expect(within('shared/core/').length).toBeGreaterThanOrEqual(60);
    expect(within('shared/flow/').length).toBeGreaterThanOrEqual(20);
    expect(features.length).toBeGreaterThanOrEqual(3);
    expect(modules.filter(({ path }) => PURE.test(path)).length).toBeGreaterThanOrEqual(130);
    expect(modules.filter(({ path }) => FLOW.test(path)).length).toBeGreaterThanOrEqual(40);
    expect(within('shared/adapters/').length).toBeGreaterThanOrEqual(50);
    expect(within('shared/config/').length).toBeGreaterThanOrEqual(25);
    expect(within('functions/').length).toBeGreaterThanOrEqual(12);
    expect(within('infra/').length).toBeGreaterThanOrEqual(26);
    expect(within('shared/terminal/').length).toBeGreaterThanOrEqual(7);
    expect(within('shared/operator/').length).toBeGreaterThanOrEqual(15);
    expect(within('cli/').length).toBeGreaterThanOrEqual(20);
    expect(within('console/server/').length).toBeGreaterThanOrEqual(15);
    expect(within('console/pages/').length).toBeGreaterThanOrEqual(9);
    expect(within('kit/').length).toBeGreaterThanOrEqual(7);
    expect(within('local/').length).toBeGreaterThanOrEqual(50);
    expect(within('workshop/').length).toBeGreaterThanOrEqual(40);
    expect(within('test/').length).toBeGreaterThanOrEqual(250);
    expect(modules.flatMap(({ imports }) => imports).length).toBeGreaterThan(1_000);
  });

  test('resolves every import of ours to a module that is there', () => {
    const paths = new Set(modules.map(({ path }) => path));
    const lost = modules.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target.includes('/') && target.endsWith('.ts'))
        .filter(({ target }) => !paths.has(target) && !existsSync(target))
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(lost).toEqual([]);
  });
});

describe('who may import whom', () => {
  const CONFIG = /^shared\/config\//;
  /** Modules of ours are imported with their extension. */
  const PACKAGE = /(?<!\.ts)$/;

  test('pure code, which is core and a feature without its flow: pure code, zod and node:crypto', () => {
    expect(breaches(PURE, [PURE, /^zod$/, /^node:crypto$/])).toEqual([]);
    // The spine imports nothing of a feature.
    expect(breaches('shared/core/', [/^shared\/core\//, /^zod$/, /^node:crypto$/])).toEqual([]);
  });

  test('core: each stage only what comes before it in the data flow', () => {
    const order = ['', ...STAGES, ...ROOMS_BESIDE];
    expect(new Set(within('shared/core/').map(({ path }) => roomOf(path)))).toEqual(new Set(order));
    const backwards = within('shared/core/').flatMap(({ path }) =>
      reachOfCore(path)
        .filter((target) => order.indexOf(roomOf(target)) > order.indexOf(roomOf(path)))
        .map((target) => `${path} -> ${target}`),
    );
    expect(backwards).toEqual([]);
  });

  test('config: itself, pure code, zod, compression, digests and what is an address', () => {
    expect(breaches('shared/config/', [CONFIG, PURE, /^zod$/, /^node:(zlib|net|crypto)$/])).toEqual([]);
  });

  test('flow, also of a feature: flow, pure code, types of config', () => {
    expect(breaches(FLOW, [FLOW, PURE, CONFIG])).toEqual([]);
    expect(valuesFrom(CONFIG, FLOW)).toEqual([]);
  });

  test('adapters: their own folder, credentials, the system, pure code, config, packages, and interfaces of flow', () => {
    const folders = new Set(
      within('shared/adapters/').map(({ path }) => `${path.split('/').slice(0, 3).join('/')}/`),
    );
    expect(folders.size).toBeGreaterThanOrEqual(4);
    const COMMON = /^shared\/adapters\/(?:credential|system)\//;
    for (const folder of folders) {
      expect(breaches(folder, [new RegExp(`^${folder}`), COMMON, PURE, FLOW, CONFIG, PACKAGE])).toEqual([]);
    }
    expect(valuesFrom(FLOW, 'shared/adapters/')).toEqual([]);
  });

  test("kit: itself, pure code, names of the config, zod and the webhooks' library, so that it installs small", () => {
    const allowed = [
      /^kit\//,
      PURE,
      /^shared\/config\/names\.ts$/,
      /^(zod|standardwebhooks)$/,
      /^node:(?:crypto|fs)$/,
    ];
    expect(breaches('kit/', allowed)).toEqual([]);
  });

  test('functions: themselves, flow, adapters, config and packages', () => {
    expect(breaches('functions/', [/^functions\//, FLOW, /^shared\/adapters\//, CONFIG, PACKAGE])).toEqual(
      [],
    );
  });

  test('infra: itself, config, the catalogue of events, what pure code asks of a queue, a function and an alarm, errors and packages', () => {
    const allowed = [
      /^infra\//,
      CONFIG,
      /^shared\/core\/(event-types|feeds|errors|delivery-retention)\.ts$/,
      /^shared\/(people\/when|systems\/attempt-schedule)\.ts$/,
      /^notifier\.config\.ts$/,
      PACKAGE,
    ];
    expect(breaches('infra/', allowed)).toEqual([]);
  });

  test('terminal, what everybody who speaks to a person shares: itself, pure code, config and packages', () => {
    expect(breaches('shared/terminal/', [/^shared\/terminal\//, PURE, CONFIG, PACKAGE])).toEqual([]);
  });

  test('operator, what one can ask of a notifier: itself, terminal, all of shared and packages', () => {
    expect(breaches('shared/operator/', [/^shared\//, PACKAGE])).toEqual([]);
  });

  test('cli and local: not each other nor the console; bin puts them together', () => {
    expect(breaches('cli/', [/^(?!local\/|console\/|bin\/|test\/|workshop\/|examples\/)/])).toEqual([]);
    expect(breaches('local/', [/^(?!cli\/|console\/|bin\/)/])).toEqual([]);
  });

  test('console, what is answered: itself and zod', () => {
    expect(breaches('console/answers/', [/^console\/answers\//, /^zod$/])).toEqual([]);
  });

  test('console, the pages: itself, answers, pure words and what is said on a terminal, and templates', () => {
    const allowed = [/^console\/(?:pages|answers)\//, PURE, /^shared\/terminal\//, /^hono\/html$/];
    expect(breaches('console/pages/', allowed)).toEqual([]);
  });

  test('console, the server: itself, answers, pages, what one can ask of a notifier, and packages', () => {
    expect(breaches('console/server/', [/^console\//, /^shared\//, PACKAGE])).toEqual([]);
  });

  test('nothing that is deployed: the console, and what speaks to a person', () => {
    const deployed = /^shared\/(?!terminal\/|operator\/)/;
    expect(breaches(deployed, [deployed, PACKAGE])).toEqual([]);
  });

  test('nothing that is deployed or run: the workshop, tests or examples', () => {
    for (const folder of ['shared/', 'functions/', 'infra/', 'kit/', 'local/', 'console/', 'bin/']) {
      expect(breaches(folder, [/^(?!test\/|workshop\/|examples\/)/])).toEqual([]);
    }
  });

  test('nobody: in a circle; in what is deployed, not even for types', () => {
    expect(circles(modules, ({ typesOnly }) => !typesOnly)).toEqual([]);
    const deployed = ['shared/', 'functions/', 'infra/'].flatMap(within);
    expect(circles(deployed, () => true)).toEqual([]);
  });

  test('nobody: a circle would be found', () => {
    const samples = [
      { path: 'a.ts', text: '', imports: [value('b.ts')] },
      { path: 'b.ts', text: '', imports: [value('c.ts'), value('zod')] },
      { path: 'c.ts', text: '', imports: [type('b.ts'), value('a.ts')] },
    ];
    expect(circles(samples, ({ typesOnly }) => !typesOnly)).toEqual(['a.ts -> b.ts -> c.ts -> a.ts']);
    expect(circles(samples, () => true)).toEqual(['b.ts -> c.ts -> b.ts', 'a.ts -> b.ts -> c.ts -> a.ts']);
  });

  test('nobody: through a barrel; a package has its entry, for other repositories and the config', () => {
    const entries = ['infra/config.ts', 'kit/main.ts'];
    const barrels = modules.filter(({ path, text }) => path.endsWith('/index.ts') || onlyPassesOn(text));
    expect(barrels.map(({ path }) => path).sort()).toEqual(entries);
    const code = modules.filter(({ path }) => !path.endsWith('.config.ts'));
    const users = code.filter(({ imports }) => imports.some(({ target }) => entries.includes(target)));
    expect(users.map(({ path }) => path)).toEqual([]);
  });
});

describe('pure code', () => {
  const IMPURE: readonly [string, RegExp][] = [
    ['the time', /\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^)\s])|(?<!new )\bDate\(|\bperformance\b/],
    ['chance', /\bMath\.random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b/],
    ['the environment', /\bprocess\b|\bglobalThis\b|\bimport\.meta\b/],
    ['timers', /\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/],
    ['the console', /\bconsole\b/],
    ['the network', /\bfetch\s*\(|\bWebSocket\b/],
  ];

  test.each(IMPURE)('knows nothing of %s', (_, pattern) => {
    const impure = within(PURE).filter(({ text }) => pattern.test(stripComments(text)));
    expect(impure.map(({ path }) => path)).toEqual([]);
  });

  test.each([
    'const now = Date.now();',
    'const now = new Date();',
    'const now = new Date( );',
    'const now = new Date;',
    'const now = Date();',
    'const dice = Math.random();',
    'const id = randomUUID();',
    'const name = process.env.NAME;',
    'setTimeout(next, 10);',
    'console.log(name);',
    'await fetch(url);',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a sample of code
    'const text = `${Date.now()}`;',
  ])('would be caught with %j', (text) => {
    expect(IMPURE.some(([, pattern]) => pattern.test(stripComments(text)))).toBe(true);
  });

  test.each([
    'const at = new Date(instant).toISOString();',
    '// Date.now() is an argument here',
    '/** Not `process.env`. */',
    'const prefetch = fetchPage(next);',
    'const processed = record.processed;',
  ])('would not be blamed for %j', (text) => {
    expect(IMPURE.some(([, pattern]) => pattern.test(stripComments(text)))).toBe(false);
  });
});

describe('names', () => {
  const product = modules.filter(({ path }) =>
    /^(bin|shared|functions|infra|cli|console|kit|local|workshop)\//.test(path),
  );

  test('bounds are MAX_ or MIN_', () => {
    const others = product.flatMap(({ path, text }) =>
      [...stripComments(text).matchAll(/\b(?:MOST|LEAST|LONGEST|SHORTEST|FEWEST)_[A-Z_]+/g)].map(
        ([name]) => `${path}: ${name}`,
      ),
    );
    expect(product.length).toBeGreaterThan(400);
    expect(others).toEqual([]);
  });

  test('what shared exports has one meaning to a name', () => {
    const exported = within('shared/').flatMap(({ path, text }) =>
      [...text.matchAll(EXPORTED)].map(({ groups }) => ({ path, name: groups?.name ?? '' })),
    );
    expect(exported.length).toBeGreaterThan(700);
    const places = [...Map.groupBy(exported, ({ name }) => name)].map(
      ([name, found]) => [name, new Set(found.map(({ path }) => path))] as const,
    );
    const twins = places.filter(([, paths]) => paths.size > 1);
    expect(twins.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([]);
  });
});

test('a function is one file, with its handler on top', () => {
  const functions = modules.filter(({ path }) => /^functions\/[^/]+$/.test(path));
  expect(functions.length).toBeGreaterThanOrEqual(6);
  const others = functions.filter(({ text }) => {
    const [, first = ''] = text.split(/^import [^;]*;\n(?!import )/m);
    return !/^\s*\/\*\*[^\n]*\*\/\nexport const handler = entry\(/.test(first);
  });
  expect(others.map(({ path }) => path)).toEqual([]);
});

test('tests wait with `eventually`: the second that vitest gives by itself fails on a busy machine', () => {
  const impatient = within('test/').filter(({ text }) =>
    /\bvi\.wait(?:For|Until)\(/.test(stripComments(text)),
  );
  expect(impatient.map(({ path }) => path)).toEqual(['test/support/eventually.ts']);
});

describe('size', () => {
  test(`of a file that somebody wrote is at most ${MAX_LINES} lines`, () => {
    const written = modules.filter(({ text }) => !text.startsWith('// Generated by'));
    const long = written.filter(({ text }) => linesOf(text) > MAX_LINES);
    expect(long.map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([]);
  });

  test(`of a function is at most ${MAX_FUNCTION_LINES} lines, blank lines and comments included`, () => {
    const functions = modules
      .filter(({ path }) => /^(bin|shared|functions|infra|cli|console|kit|local)\//.test(path))
      .flatMap(({ path, text }) => listFunctions(text, path).map((each) => ({ path, ...each })));
    expect(functions.length).toBeGreaterThan(2_000);
    const long = functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES);
    const named = long.map(({ path, name }) => `${path}: ${name}`);
    expect(named).toEqual([]);
  });

  test('of a function would be seen, with its comments and blank lines', () => {
    const text = 'export function one() {\n  // two\n\n  return () => {\n    five();\n  };\n}';
    const sizes = listFunctions(text, 'a.ts').map(({ name, lines }) => [name, lines]);
    expect(sizes).toEqual([
      ['one', 7],
      ['one', 3],
    ]);
  });
});

/** The folder of a module of core; empty for those that lie directly in it. */
function roomOf(path: string): string {
  return /^shared\/core\/(?:([^/]+)\/)?/.exec(path)?.[1] ?? '';
}

/** The modules of core that one of them imports, itself or by way of features. */
function reachOfCore(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const imports = modules.find((each) => each.path === path)?.imports ?? [];
  return imports.flatMap(({ target }) =>
    target.startsWith('shared/core/') ? target : PURE.test(target) ? reachOfCore(target, seen) : [],
  );
}

function within(place: string | RegExp): readonly Module[] {
  return modules.filter(({ path }) =>
    typeof place === 'string' ? path.startsWith(place) : place.test(path),
  );
}

/** Imports of modules in a folder that are none of what is allowed there. */
function breaches(folder: string | RegExp, allowed: readonly RegExp[]): string[] {
  const found = within(folder);
  expect(found.length).toBeGreaterThan(0);
  return found.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => !allowed.some((pattern) => pattern.test(target)))
      .map(({ target }) => `${path} -> ${target}`),
  );
}

/** Imports in a folder that need more than the types of what they import. */
function valuesFrom(target: RegExp, folder: string | RegExp): string[] {
  const found = within(folder).flatMap(({ path, imports }) =>
    imports.filter((each) => target.test(each.target)).map((each) => ({ path, ...each })),
  );
  expect(found.length).toBeGreaterThan(0);
  return found.filter(({ typesOnly }) => !typesOnly).map((each) => `${each.path} -> ${each.target}`);
}

/** Ways from a module back to itself, over the imports that count. */
function circles(given: readonly Module[], counts: (each: Import) => boolean): string[] {
  const byPath = new Map(given.map((each) => [each.path, each.imports.filter(counts)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const { target } of byPath.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of given) visit(path, []);
  return found;
}

/** A module all of whose statements pass on what others export. */
function onlyPassesOn(text: string): boolean {
  const rest = stripComments(text).replaceAll(STATEMENT, '').replaceAll(/[;\s]/g, '');
  return rest === '' && /^\s*export\b/m.test(stripComments(text));
}

function linesOf(text: string): number {
  return text.trimEnd().split('\n').length;
}

function value(target: string): Import {
  return { target, typesOnly: false };
}

function type(target: string): Import {
  return { target, typesOnly: true };
}
