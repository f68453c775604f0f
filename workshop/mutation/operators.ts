/** A node as the parser gives it; its members depend on its type. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the members of some hundred types of nodes
  readonly [member: string]: any;
}

/** What else could stand in the place of an expression. */
export interface Variant {
  readonly operator: string;
  readonly text: string;
}

const BINARY: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};
const LOGICAL: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };
const ASSIGNMENT: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=' };
const UPDATE: Readonly<Record<string, string>> = { '++': '--', '--': '++' };
const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
]);
/** Methods whose receiver could stand for their result. */
const LEFT_OUT = ['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'trim', 'toLowerCase'];
/** Up to here a number counts things; above it is a bound, of which one more or less says little. */
const MAX_COUNT = 100;

/** Every variant of an expression, by its own type. `text` is the module. */
export function listVariants(node: SyntaxNode, text: string): Variant[] {
  const of = (part: SyntaxNode) => text.slice(part.start, part.end);
  switch (node.type) {
    case 'BinaryExpression':
      return isText(node.left) || isText(node.right)
        ? []
        : (BINARY[node.operator] ?? []).map((operator) => ({
            operator: 'comparison or arithmetic',
            text: `${of(node.left)} ${operator} ${of(node.right)}`,
          }));
    case 'LogicalExpression':
      return listLogicalVariants(node, of);
    case 'UnaryExpression':
      return node.operator === '!' || node.operator === '-'
        ? [{ operator: 'sign', text: of(node.argument) }]
        : [];
    case 'UpdateExpression':
      return [{ operator: 'update', text: swapped(of(node), node.operator, UPDATE) }];
    case 'AssignmentExpression':
      return node.operator in ASSIGNMENT
        ? [{ operator: 'assignment', text: swapped(of(node), node.operator, ASSIGNMENT) }]
        : [];
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

function listLogicalVariants(node: SyntaxNode, of: (part: SyntaxNode) => string): Variant[] {
  const sides = [
    { operator: 'operand left out', text: of(node.left) },
    { operator: 'operand left out', text: of(node.right) },
  ];
  const other = LOGICAL[node.operator];
  return other === undefined
    ? sides
    : [...sides, { operator: 'logic', text: `(${of(node.left)}) ${other} (${of(node.right)})` }];
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
  const other = METHODS.get(name);
  if (other === undefined) return [];
  const rest = given.length === 0 ? '()' : `(${of({ type: '', start: given[0].start, end })}`;
  return [{ operator: 'method', text: `${of(object)}.${other}${rest}` }];
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

function swapped(code: string, operator: string, others: Readonly<Record<string, string>>): string {
  return code.replace(operator, others[operator] ?? operator);
}

function isText({ type, value }: SyntaxNode): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}
