import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './item-size.ts';

/** Placeholders of names and values in an expression. */
export interface Terms {
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

const TOKEN = /\s*(<=|>=|<>|[=<>(),]|[#:\w]+)/gy;

/**
 * Whether a condition is true for an item. Supports the part of DynamoDB's grammar that the adapter uses and throws on
 * anything else, so that no unit is counted wrongly.
 */
export function holds(expression: string | undefined, item: Item | undefined, terms: Terms): boolean {
  if (expression === undefined) return true;
  const reader = new ConditionReader(expression, item ?? {}, terms);
  return reader.readAll();
}

class ConditionReader {
  readonly #tokens: string[];
  readonly #item: Item;
  readonly #terms: Terms;
  #at = 0;

  constructor(expression: string, item: Item, terms: Terms) {
    this.#tokens = [...expression.matchAll(TOKEN)].map(([, token]) => token ?? '');
    this.#item = item;
    this.#terms = terms;
  }

  readAll(): boolean {
    const result = this.#readOr();
    if (this.#at < this.#tokens.length)
      throw new Error(`the expression goes on with ${this.#tokens.slice(this.#at).join(' ')}`);
    return result;
  }

  #readOr(): boolean {
    let result = this.#readAnd();
    while (this.#takeIf('OR')) result = this.#readAnd() || result;
    return result;
  }

  #readAnd(): boolean {
    let result = this.#readTerm();
    while (this.#takeIf('AND')) result = this.#readTerm() && result;
    return result;
  }

  #readTerm(): boolean {
    if (this.#takeIf('NOT')) return !this.#readTerm();
    if (this.#takeIf('(')) {
      const result = this.#readOr();
      this.#expect(')');
      return result;
    }
    const first = this.#take();
    return this.#tokens[this.#at] === '(' ? this.#readCall(first) : this.#readComparison(first);
  }

  #readCall(name: string): boolean {
    this.#expect('(');
    const value = this.#value(this.#take());
    const argument = this.#takeIf(',') ? this.#value(this.#take()) : undefined;
    this.#expect(')');
    switch (name) {
      case 'attribute_exists':
        return value !== undefined;
      case 'attribute_not_exists':
        return value === undefined;
      case 'begins_with':
        return (value?.S ?? '').startsWith(argument?.S ?? '\uffff');
      case 'contains':
        return (value?.SS ?? []).includes(argument?.S ?? '');
      default:
        throw new Error(`the function ${name} is not supported`);
    }
  }

  #readComparison(left: string): boolean {
    const value = this.#value(left);
    const operator = this.#take();
    const right = this.#value(this.#take());
    if (operator === 'BETWEEN') {
      this.#expect('AND');
      const upper = this.#value(this.#take());
      return compare(value, right) >= 0 && compare(value, upper) <= 0;
    }
    const order = compare(value, right);
    const results: Record<string, boolean> = {
      '=': order === 0,
      '<>': order !== 0,
      '<': order < 0,
      '<=': order <= 0,
      '>': order > 0,
      '>=': order >= 0,
    };
    const result = results[operator];
    if (result === undefined) throw new Error(`the operator ${operator} is not supported`);
    return result;
  }

  #value(token: string): AttributeValue | undefined {
    if (token.startsWith(':')) return this.#terms.ExpressionAttributeValues?.[token];
    return this.#item[this.#terms.ExpressionAttributeNames?.[token] ?? token];
  }

  #take(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Error('the expression ends too early');
    this.#at += 1;
    return token;
  }

  #takeIf(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: string): void {
    if (!this.#takeIf(token)) throw new Error(`expected ${token}, not ${this.#tokens[this.#at]}`);
  }
}

/** NaN for values that cannot be compared, so that every comparison is false. */
function compare(left: AttributeValue | undefined, right: AttributeValue | undefined): number {
  if (left?.S !== undefined && right?.S !== undefined)
    return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S));
  if (left?.N !== undefined && right?.N !== undefined) return Number(left.N) - Number(right.N);
  if (left?.B !== undefined && right?.B !== undefined) return Buffer.compare(left.B, right.B);
  return Number.NaN;
}

/** The item after an update; `before` is the key alone when there was no item. */
export function applyUpdate(expression: string, before: Item, terms: Terms): Item {
  const item: Item = { ...before };
  const clauses = expression.split(/\b(SET|REMOVE|ADD|DELETE)\b/).slice(1);
  for (let index = 0; index < clauses.length; index += 2) {
    for (const action of (clauses[index + 1] ?? '').split(','))
      applyAction(item, { clause: clauses[index] ?? '', words: action.trim().split(/[\s=]+/) }, terms);
  }
  return item;
}

function applyAction(
  item: Item,
  { clause, words }: { readonly clause: string; readonly words: readonly string[] },
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Terms,
): void {
  const [path = '', operand = ''] = words;
  const name = names[path] ?? path;
  const value = values[operand];
  if (clause === 'REMOVE') {
    delete item[name];
    return;
  }
  if (value === undefined || words.length !== 2)
    throw new Error(`${clause} ${words.join(' ')} is not supported`);
  if (clause === 'SET') item[name] = value;
  else if (clause === 'ADD' && value.N !== undefined)
    item[name] = { N: String(Number(item[name]?.N ?? 0) + Number(value.N)) };
  else changeSet(item, name, { texts: value.SS ?? [], adds: clause === 'ADD' });
}

function changeSet(
  item: Item,
  name: string,
  { texts, adds }: { texts: readonly string[]; adds: boolean },
): void {
  const set = new Set(item[name]?.SS ?? []);
  for (const text of texts) {
    if (adds) set.add(text);
    else set.delete(text);
  }
  if (set.size === 0) delete item[name];
  else item[name] = { SS: [...set] };
}
