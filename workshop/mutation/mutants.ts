import { parseAst } from 'vitest/node';
import { listVariants, type SyntaxNode } from './operators.ts';

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
export interface MutatedModule {
  readonly text: string;
  readonly mutants: readonly Mutant[];
}

export function mutateModule(text: string, path: string, firstId: number): MutatedModule {
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
    for (const child of childrenOf(node)) visit(child, { parent: node, isStatic, isProse });
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

function isChained(node: SyntaxNode): boolean {
  return (
    node.optional === true || (isNode(node.object ?? node.callee) && isChained(node.object ?? node.callee))
  );
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

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flat().filter(isNode);
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
