import { parseAst } from 'vitest/node';

/** One change of one module. */
export interface Mutant {
  readonly id: number;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly operator: string;
  /** Stands in the place of what is between start and end. */
  readonly text: string;
  /** Runs when its module is imported, and never again. */
  readonly isStatic: boolean;
}

/** How a mutant is put into its module: in the place of an expression or a statement, or at the start of a body. */
type Form = 'expression' | 'statement' | 'body';
type Site = Omit<Mutant, 'id' | 'path'> & { readonly form: Form };

interface Place {
  readonly parent: SyntaxNode | null;
  readonly isStatic: boolean;
  /** Texts for people alone: of errors and of schemas. */
  readonly isProse: boolean;
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const AROUND_EXPRESSIONS = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'];
const PROSE_CALLS = ['describe', 'meta'];

/** A module with all of its mutants in it, each asleep until `isMutated` of its id is true, and the list of them. */
export function mutateModule(
  text: string,
  path: string,
  firstId: number,
): { readonly text: string; readonly mutants: readonly Mutant[] } {
  const sites = listSites(text, path).map((site, index) => ({ ...site, id: firstId + index, path }));
  return {
    text: weave(text, sites, { from: 0, to: text.length }),
    mutants: sites.map(({ form: _, ...mutant }) => mutant),
  };
}

function listSites(text: string, path: string): Site[] {
  const found = new Map<string, Site>();
  const visit = (node: SyntaxNode, place: Place): void => {
    if (isLeftAlone(node)) return;
    for (const site of listOwn(node, place, text)) {
      const key = [site.form, site.start, site.end, site.text].join(' ');
      if (!found.has(key)) found.set(key, site);
    }
    const isStatic = place.isStatic && !isBody(node);
    const isProse = place.isProse || isProseFor(node);
    for (const child of Object.values(node).flat().filter(isNode))
      visit(child, { parent: node, isStatic, isProse });
  };
  const program = parseAst(text, { lang: 'ts' }, path) as unknown as SyntaxNode;
  visit(program, { parent: null, isStatic: true, isProse: false });
  return [...found.values()];
}

/** What a node can become by its own type, and what its parts can become by the place that they have in it. */
function listOwn(node: SyntaxNode, place: Place, text: string): Site[] {
  const { start, end } = node;
  const own = (isChangeable(node, place) ? listVariants(node, text) : [])
    .filter(({ operator }) => !(place.isProse && operator === 'text'))
    // A bound of a module is a choice; what is computed of it is not.
    .filter(({ operator }) => !(place.isStatic && operator === 'number'))
    .filter((variant) => variant.text !== text.slice(start, end))
    .map((variant) => ({ form: 'expression', start, end, isStatic: place.isStatic, ...variant }) as const);
  const isStatic = place.isStatic && !isBody(node);
  const ofParts = listRoles(node)
    .filter(([part, site]) => site.form !== 'expression' || site.text !== text.slice(part.start, part.end))
    .map(([part, site]) => ({ ...site, start: part.start, end: part.end, isStatic }));
  return [...own, ...ofParts];
}

/** Types, imports and directives. */
function isLeftAlone({ type, directive }: SyntaxNode): boolean {
  if (type.startsWith('TS')) return !AROUND_EXPRESSIONS.includes(type);
  return type.startsWith('Import') || directive != null;
}

/** Mutants that a node gets by the part that it has in the node around it. */
function listRoles(node: SyntaxNode): [SyntaxNode, Pick<Site, 'form' | 'operator' | 'text'>][] {
  const expression = (operator: string, text: string) => ({ form: 'expression', operator, text }) as const;
  const condition = (operator: string): ReturnType<typeof listRoles> => [
    [node.test, expression(operator, 'true')],
    [node.test, expression(operator, 'false')],
  ];
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return condition('condition');
    case 'WhileStatement':
    case 'ForStatement':
      return node.test == null ? [] : [[node.test, expression('condition', 'false')]];
    case 'ReturnStatement':
      // A boolean becomes the other one: undefined instead says the same as false.
      if (node.argument == null || typeof node.argument.value === 'boolean') return [];
      return [[node.argument, expression('returned value', 'undefined')]];
    case 'ArrowFunctionExpression':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      if (node.body == null) return [];
      if (node.body.type !== 'BlockStatement')
        return [[node.body, expression('returned value', 'undefined')]];
      return node.body.body.length < 2 ? [] : [[node.body, { form: 'body', operator: 'body', text: '{}' }]];
    case 'ExpressionStatement':
    case 'ContinueStatement':
      return [[node, { form: 'statement', operator: 'statement left out', text: '' }]];
    case 'ArrayExpression':
    case 'ObjectExpression': {
      const parts: SyntaxNode[] = node.elements ?? node.properties;
      const nothing = node.type === 'ArrayExpression' ? '[]' : '({})';
      return parts
        .filter((part) => part?.type === 'SpreadElement')
        .map((part) => [part.argument, expression('spread left out', nothing)]);
    }
    default:
      return [];
  }
}

/** Keys, sources of imports and parts of an optional chain stay; what is inside them does not. */
function isChangeable(node: SyntaxNode, { parent }: Place): boolean {
  if (parent === null) return false;
  if (parent.type === 'ChainExpression') return false;
  const isReceiver = parent.object === node || parent.callee === node;
  if (isReceiver && node.type !== 'LogicalExpression' && isChained(node)) return false;
  if (
    (parent.type === 'Property' || parent.type === 'PropertyDefinition') &&
    parent.key === node &&
    !parent.computed
  )
    return false;
  if (parent.type === 'ExportNamedDeclaration' || parent.type === 'ExportAllDeclaration') return false;
  if (parent.type === 'TaggedTemplateExpression') return false;
  // Left out as statements.
  return parent.type !== 'ExpressionStatement' || node.type === 'UpdateExpression' || node.operator !== '=';
}

function isChained({ optional, object, callee }: SyntaxNode): boolean {
  const before = object ?? callee;
  return optional === true || (isNode(before) && isChained(before));
}

/** Code that runs later than the module around it. */
function isBody({ type, static: isOfClass }: SyntaxNode): boolean {
  return FUNCTIONS.includes(type) || (type === 'PropertyDefinition' && !isOfClass);
}

function isProseFor({ type, callee }: SyntaxNode): boolean {
  if (type === 'ThrowStatement') return true;
  if (type === 'NewExpression') return /Error$/.test(callee.name ?? '');
  return type === 'CallExpression' && PROSE_CALLS.includes(callee.property?.name);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The text of a range with all mutants inside it. A mutant stands beside what it changes, so that one more call decides. */
function weave(
  text: string,
  sites: readonly (Site & { id: number })[],
  range: { from: number; to: number },
): string {
  const outermost = sites
    .filter(({ start, end }) => range.from <= start && end <= range.to)
    .filter((one, _, all) => !all.some((other) => contains(other, one)));
  const groups = [...Map.groupBy(outermost, ({ start, end }) => `${start} ${end}`).values()];
  let at = range.from;
  let woven = '';
  for (const group of groups.sort((a, b) => (a[0]?.start ?? 0) - (b[0]?.start ?? 0))) {
    const { start, end } = group[0] ?? { start: at, end: at };
    const inner = sites.filter((site) => !group.includes(site) && start <= site.start && site.end <= end);
    woven += text.slice(at, start) + wrap(weave(text, inner, { from: start, to: end }), group);
    at = end;
  }
  return woven + text.slice(at, range.to);
}

function contains(outer: Site, inner: Site): boolean {
  const isWider = outer.start < inner.start || outer.end > inner.end;
  return isWider && outer.start <= inner.start && inner.end <= outer.end;
}

function wrap(code: string, group: readonly (Site & { id: number })[]): string {
  const [first] = group;
  if (first?.form === 'body') return `{ if (isMutated(${first.id})) return;${code.slice(1)}`;
  if (first?.form === 'statement') return `{ if (!isMutated(${first.id})) { ${code} } }`;
  return `(${group.map(({ id, text }) => `isMutated(${id}) ? (${text}) : `).join('')}(${code}))`;
}

/** A node as the parser gives it; its members depend on its type. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the members of some hundred types of nodes
  readonly [member: string]: any;
}

/** What else could stand in the place of an expression. */
interface Variant {
  readonly operator: string;
  readonly text: string;
}

/** Operators and methods of which each stands in the place of the other. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ['===', '!=='],
  ['==', '!='],
  ['+', '-'],
  ['*', '/'],
  ['&&', '||'],
  ['+=', '-='],
  ['*=', '/='],
  ['++', '--'],
  ['some', 'every'],
  ['min', 'max'],
  ['floor', 'ceil'],
  ['startsWith', 'endsWith'],
];
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...OPPOSITES.flatMap(([one, other]) => [[one, [other]] as const, [other, [one]] as const]),
  ['<', ['<=', '>=']],
  ['<=', ['<', '>']],
  ['>', ['>=', '<=']],
  ['>=', ['>', '<']],
  ['%', ['*']],
]);
/** Methods whose receiver could stand for their result. */
const LEFT_OUT = ['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'trim', 'toLowerCase'];
/** Up to here a number counts things; above it is a bound, of which one more or less says little. */
const MAX_COUNT = 100;

/** Every variant of an expression, by its own type. `text` is the module. */
function listVariants(node: SyntaxNode, text: string): Variant[] {
  // The parser leaves out parentheses.
  const of = ({ start, end }: SyntaxNode) =>
    text[start - 1] === '(' && text[end] === ')' ? text.slice(start - 1, end + 1) : text.slice(start, end);
  const others = OTHERS.get(node.operator) ?? [];
  switch (node.type) {
    case 'BinaryExpression':
      if (isText(node.left) || isText(node.right)) return [];
      return others.map((other) => ({
        operator: 'comparison or arithmetic',
        text: `${of(node.left)} ${other} ${of(node.right)}`,
      }));
    case 'LogicalExpression':
      return [
        ...[node.left, node.right].map((side) => ({ operator: 'operand left out', text: of(side) })),
        ...others.map((other) => ({
          operator: 'logic',
          text: `(${of(node.left)}) ${other} (${of(node.right)})`,
        })),
      ];
    case 'UnaryExpression':
      return node.operator === '!' || node.operator === '-'
        ? [{ operator: 'sign', text: of(node.argument) }]
        : [];
    case 'UpdateExpression':
    case 'AssignmentExpression':
      return others.map((other) => ({
        operator: 'assignment',
        text: of(node).replace(node.operator, other),
      }));
    case 'Literal':
      return listLiteralVariants(node);
    case 'TemplateLiteral':
      return [{ operator: 'text', text: "''" }];
    case 'ArrayExpression':
      return node.elements.length > 0 ? [{ operator: 'array', text: '[]' }] : [];
    case 'CallExpression':
      return listCallVariants(node, of);
    case 'ChainExpression':
      return [{ operator: 'optional', text: withoutQuestions(node, text) }];
    default:
      return [];
  }
}

function listLiteralVariants({ value }: SyntaxNode): Variant[] {
  if (typeof value === 'boolean') return [{ operator: 'boolean', text: String(!value) }];
  if (typeof value === 'string') return [{ operator: 'text', text: value === '' ? "'mutated'" : "''" }];
  if (typeof value !== 'number') return [];
  return [{ operator: 'number', text: String(value > MAX_COUNT ? value * 2 : value + 1) }];
}

function listCallVariants(
  { callee, optional, arguments: given, end }: SyntaxNode,
  of: (part: SyntaxNode) => string,
) {
  if (callee.type !== 'MemberExpression' || callee.computed || callee.optional || optional) return [];
  const name: string = callee.property.name;
  const { object } = callee;
  if (LEFT_OUT.includes(name)) return [{ operator: 'call left out', text: of(object) }];
  const rest = given.length === 0 ? '()' : `(${of({ type: '', start: given[0].start, end })}`;
  return (OTHERS.get(name) ?? []).map((other) => ({
    operator: 'method',
    text: `${of(object)}.${other}${rest}`,
  }));
}

function withoutQuestions(chain: SyntaxNode, text: string): string {
  const places: number[] = [];
  for (let node: SyntaxNode = chain.expression; node !== undefined; node = node.object ?? node.callee)
    if (node.optional) places.push(text.indexOf('?.', (node.object ?? node.callee).end));
  return places
    .sort((a, b) => b - a)
    .reduce(
      (kept, place) => {
        const at = place - chain.start;
        const isName = /[\w#$]/.test(kept[at + 2] ?? '');
        return `${kept.slice(0, at)}${isName ? '.' : ''}${kept.slice(at + 2)}`;
      },
      text.slice(chain.start, chain.end),
    );
}

function isText({ type, value }: SyntaxNode): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}
