import { expect, test } from 'vitest';
import { evaluateExpression } from '#workshop/drill/alarms/metric-math.ts';

const METRICS: Readonly<Record<string, number>> = { errors: 2, runs: 8 };
const evaluate = (expression: string) => evaluateExpression(expression, (id) => METRICS[id] ?? null);

test.each([
  ['errors', 2],
  ['errors + runs * 2', 18],
  ['(errors + runs) / 5', 2],
  ['runs - errors - 1', 5],
  ['FILL(errors, 0) + FILL(unstarted, 0)', 2],
  ['MAX([errors, runs, missing])', 8],
  ['MIN([errors, runs])', 2],
  ['SUM([errors, runs, 1])', 11],
  ['IF(errors > 1, runs, 0)', 8],
  ['errors >= 3', 0],
  ['0.5 + 0.25', 0.75],
])('%s is %d', (expression, value) => {
  expect(evaluate(expression)).toBe(value);
});

test.each([['missing'], ['errors + missing'], ['MAX([missing])'], ['IF(missing > 0, 1, 0)']])(
  'without data of a part, %s has none',
  (expression) => {
    expect(evaluate(expression)).toBeNull();
  },
);

test.each([['SEARCH("x")'], ['errors +'], ['errors runs'], ['RATE(errors)']])(
  '%s is refused by name',
  (expression) => {
    expect(() => evaluate(expression)).toThrow('metric-math.ts');
  },
);
