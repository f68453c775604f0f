import { parseAst } from 'vitest/node';

/** A function with its lines, those of its signature, comments and blank lines included. */
export interface FunctionSize {
  /** Its own name, or that of what it is assigned to or stands in. */
  readonly name: string;
  readonly lines: number;
}

const FUNCTIONS: readonly unknown[] = [
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
];

/** All functions of a module, as the compiler sees them. */
export function listFunctions(text: string, path: string): FunctionSize[] {
  const found: FunctionSize[] = [];
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path), '');
  return found;

  function visit(node: unknown, around: string): void {
    if (Array.isArray(node)) for (const each of node) visit(each, around);
    else if (isNode(node)) {
      const name = node.key?.name ?? node.id?.name ?? around;
      if (FUNCTIONS.includes(node.type))
        found.push({ name, lines: text.slice(node.start, node.end).split('\n').length });
      for (const each of Object.values(node)) visit(each, name);
    }
  }
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly key?: { readonly name?: string } | null;
  readonly id?: { readonly name?: string } | null;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
