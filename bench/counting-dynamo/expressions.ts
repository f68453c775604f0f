import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './item-size.ts';

/** What stands for names and values in an expression. */
export interface Terms {
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

const TOKEN = /\s*(<=|>=|<>|[=<>(),]|[#:\w]+)/gy;

/**
 * Whether a condition holds of an item: the part of DynamoDB's grammar that the adapter uses. Throws on what it does
 * not know, so that nothing is counted wrong in silence.
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
    const result = this.#either();
    if (this.#at < this.#tokens.length) throw new Error(`unread: ${this.#tokens.slice(this.#at).join(' ')}`);
    return result;
  }

  #either(): boolean {
    let result = this.#both();
    while (this.#takeIf('OR')) result = this.#both() || result;
    return result;
  }

  #both(): boolean {
    let result = this.#one();
    while (this.#takeIf('AND')) result = this.#one() && result;
    return result;
  }

  #one(): boolean {
    if (this.#takeIf('NOT')) return !this.#one();
    if (this.#takeIf('(')) {
      const result = this.#either();
      this.#expect(')');
      return result;
    }
    const first = this.#take();
    return this.#tokens[this.#at] === '(' ? this.#call(first) : this.#comparison(first);
  }

  #call(name: string): boolean {
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
        throw new Error(`the function ${name} is not known here`);
    }
  }

  #comparison(left: string): boolean {
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
    if (result === undefined) throw new Error(`the operator ${operator} is not known here`);
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
    if (!this.#takeIf(token)) throw new Error(`${token} is missing before ${this.#tokens[this.#at]}`);
  }
}

/** NaN of values that cannot be compared, so that no comparison holds. */
function compare(left: AttributeValue | undefined, right: AttributeValue | undefined): number {
  if (left?.S !== undefined && right?.S !== undefined)
    return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S));
  if (left?.N !== undefined && right?.N !== undefined) return Number(left.N) - Number(right.N);
  if (left?.B !== undefined && right?.B !== undefined) return Buffer.compare(left.B, right.B);
  return Number.NaN;
}

/** An item after an update expression; the key's attributes make one that was not there. */
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
  const [place = '', operand = ''] = words;
  const name = names[place] ?? place;
  const value = values[operand];
  if (clause === 'REMOVE') {
    delete item[name];
    return;
  }
  if (value === undefined || words.length !== 2)
    throw new Error(`${clause} ${words.join(' ')} is not known here`);
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
