import { NotifierError } from '#shared/core/errors.ts';

/** Whether a line of a log matches. */
type LinePattern = (line: Readonly<Record<string, unknown>>) => boolean;

const TOKEN = /\s*(\(|\)|&&|\|\||\$[\w.]+|>=|<=|!=|=|>|<|"[^"]*"|[^\s()&|=!<>]+)/y;

/**
 * Reads a filter pattern for JSON lines of CloudWatch Logs, such as `{ ($.outcome = "x") || ($.reason = "secret_*") }`.
 * Throws a `NotifierError` (`template_unsupported`) for other forms.
 */
export function readLogPattern(pattern: string): LinePattern {
  const inner = /^\{(.*)\}$/s.exec(pattern.trim())?.[1];
  if (inner === undefined) throw createUnsupportedError(pattern);
  const tokens = split(inner, pattern);
  let position = 0;
  const take = () => {
    position += 1;
    return tokens[position - 1] ?? '';
  };
  const readTerm = (): LinePattern => {
    const token = take();
    if (token === '(') {
      const group = readAny();
      if (take() !== ')') throw createUnsupportedError(pattern);
      return group;
    }
    if (!token.startsWith('$.')) throw createUnsupportedError(pattern);
    return createComparison(token.slice('$.'.length), take(), take());
  };
  const readChain = (operator: string, readPart: () => LinePattern): LinePattern[] => {
    const parts = [readPart()];
    while (tokens[position] === operator) {
      position += 1;
      parts.push(readPart());
    }
    return parts;
  };
  const readAll = (): LinePattern => {
    const parts = readChain('&&', readTerm);
    return (line) => parts.every((matches) => matches(line));
  };
  const readAny = (): LinePattern => {
    const parts = readChain('||', readAll);
    return (line) => parts.some((matches) => matches(line));
  };
  const result = readAny();
  if (position !== tokens.length) throw createUnsupportedError(pattern);
  return result;
}

/** The value of a selector such as `a.b` in a line. */
export function selectValue(line: Readonly<Record<string, unknown>>, selector: string): unknown {
  return selector.split('.').reduce<unknown>((value, member) => {
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)[member]
      : undefined;
  }, line);
}

function createComparison(selector: string, operator: string, operand: string): LinePattern {
  const matches = createTest(operator, operand);
  return (line) => {
    const value = selectValue(line, selector);
    return value !== undefined && value !== null && matches(value);
  };
}

function createTest(operator: string, operand: string): (value: unknown) => boolean {
  const text = operand.replaceAll(/^"|"$/g, '');
  const equals = (value: unknown) => toWildcard(text).test(String(value));
  switch (operator) {
    case '=':
      return equals;
    case '!=':
      return (value) => !equals(value);
    case '>':
      return (value) => Number(value) > Number(text);
    case '<':
      return (value) => Number(value) < Number(text);
    case '>=':
      return (value) => Number(value) >= Number(text);
    case '<=':
      return (value) => Number(value) <= Number(text);
    default:
      throw createUnsupportedError(`${operator} ${operand}`);
  }
}

function toWildcard(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

function split(inner: string, pattern: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (inner.slice(TOKEN.lastIndex).trim() !== '') {
    const [, token] = TOKEN.exec(inner) ?? [];
    if (token === undefined) throw createUnsupportedError(pattern);
    tokens.push(token);
  }
  return tokens;
}

function createUnsupportedError(pattern: string): NotifierError {
  return new NotifierError(
    'template_unsupported',
    `the drill cannot read the filter pattern ${JSON.stringify(pattern)}; add its form to workshop/drill/alarms/log-pattern.ts`,
  );
}
