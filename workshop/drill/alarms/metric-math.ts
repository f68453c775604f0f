import { NotifierError } from '#shared/core/errors.ts';

/** Value of a metric in the period of an alarm; null without data. */
type Value = number | null;
type Metrics = (id: string) => Value;

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(>=|<=|==|!=|[-+*/(),[\]<>]))/y;

/**
 * Evaluates a metric math expression of an alarm in one period: numbers, metrics, arithmetic, comparisons, `FILL`, `IF`,
 * and `MAX`, `MIN`, `SUM` of a list. As in CloudWatch, a result without data comes from any part without data. Throws a
 * `NotifierError` (`template_unsupported`) for anything else.
 */
export function evaluateExpression(expression: string, metrics: Metrics): Value {
  const reader = new Reader(expression, metrics);
  const value = reader.readComparison();
  reader.expectEnd();
  return value;
}

class Reader {
  readonly #expression: string;
  readonly #metrics: Metrics;
  #position = 0;

  constructor(expression: string, metrics: Metrics) {
    this.#expression = expression;
    this.#metrics = metrics;
  }

  readComparison(): Value {
    const left = this.#readSum();
    const operator = this.#takeIf(/^(?:>=|<=|==|!=|<|>)$/);
    if (operator === null) return left;
    const right = this.#readSum();
    return combine(left, right, (a, b) => Number(compare(operator, a, b)));
  }

  expectEnd(): void {
    if (this.#expression.slice(this.#position).trim() !== '') throw this.#createError();
  }

  #readSum(): Value {
    let value = this.#readProduct();
    for (let operator = this.#takeIf(/^[+-]$/); operator !== null; operator = this.#takeIf(/^[+-]$/)) {
      const sign = operator === '+' ? 1 : -1;
      value = combine(value, this.#readProduct(), (a, b) => a + sign * b);
    }
    return value;
  }

  #readProduct(): Value {
    let value = this.#readPart();
    for (let operator = this.#takeIf(/^[*/]$/); operator !== null; operator = this.#takeIf(/^[*/]$/)) {
      const divides = operator === '/';
      value = combine(value, this.#readPart(), (a, b) => (divides ? a / b : a * b));
    }
    return value;
  }

  #readPart(): Value {
    const token = this.#take();
    if (/^\d/.test(token)) return Number(token);
    if (token === '(') {
      const value = this.readComparison();
      this.#expect(')');
      return value;
    }
    if (!/^\w/.test(token)) throw this.#createError();
    return this.#takeIf(/^\($/) === null ? this.#metrics(token) : this.#readCall(token);
  }

  #readCall(name: string): Value {
    if (name === 'FILL') {
      const [value = null, filler = null] = this.#readArguments(')');
      return value ?? filler;
    }
    if (name === 'IF') {
      const [condition = null, yes = null, no = null] = this.#readArguments(')');
      if (condition === null) return null;
      return condition === 0 ? no : yes;
    }
    return this.#readAggregate(name);
  }

  #readAggregate(name: string): Value {
    this.#expect('[');
    const values = this.#readArguments(']').filter((value) => value !== null);
    this.#expect(')');
    if (values.length === 0) return null;
    if (name === 'MAX') return Math.max(...values);
    if (name === 'MIN') return Math.min(...values);
    if (name === 'SUM') return values.reduce((total, value) => total + value, 0);
    throw this.#createError();
  }

  #readArguments(end: string): Value[] {
    const values = [this.readComparison()];
    while (this.#takeIf(/^,$/) !== null) values.push(this.readComparison());
    this.#expect(end);
    return values;
  }

  #take(): string {
    TOKEN.lastIndex = this.#position;
    const token = TOKEN.exec(this.#expression);
    if (token === null) throw this.#createError();
    this.#position = TOKEN.lastIndex;
    return token[0].trim();
  }

  #takeIf(pattern: RegExp): string | null {
    const before = this.#position;
    if (this.#expression.slice(before).trim() === '') return null;
    const token = this.#take();
    if (pattern.test(token)) return token;
    this.#position = before;
    return null;
  }

  #expect(wanted: string): void {
    if (this.#take() !== wanted) throw this.#createError();
  }

  #createError(): NotifierError {
    const place = `${this.#expression.slice(0, this.#position)} <here>`;
    return new NotifierError(
      'template_unsupported',
      `the drill cannot evaluate the metric math ${JSON.stringify(this.#expression)} (${place}); add it to workshop/drill/alarms/metric-math.ts`,
    );
  }
}

function combine(left: Value, right: Value, compute: (left: number, right: number) => number): Value {
  return left === null || right === null ? null : compute(left, right);
}

function compare(operator: string, left: number, right: number): boolean {
  switch (operator) {
    case '>=':
      return left >= right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '<':
      return left < right;
    case '==':
      return left === right;
    default:
      return left !== right;
  }
}
