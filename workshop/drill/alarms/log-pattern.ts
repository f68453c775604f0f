import { NotifierError } from '#shared/core/errors.ts';

/** Whether a line of a log matches. */
type LinePattern = (line: Readonly<Record<string, unknown>>) => boolean;

const CONDITION = /^\(\$\.(\w+) (?:= "([^"*]*)"|> (\d+))\)$/;

/**
 * Reads a filter pattern for JSON lines of CloudWatch Logs as the template has them: all of some conditions, such as
 * `{ ($.outcome = "x") && ($.forbidden > 0) }`. Throws a `NotifierError` (`template_unsupported`) for other forms.
 */
export function readLogPattern(pattern: string): LinePattern {
  const inner = /^\{ (.*) \}$/.exec(pattern)?.[1] ?? '';
  const conditions = inner.split(' && ').map((text): LinePattern => {
    const [, member = '', wanted, above] = CONDITION.exec(text) ?? [];
    if (wanted !== undefined) return (line) => line[member] === wanted;
    if (above !== undefined) return (line) => Number(line[member]) > Number(above);
    throw new NotifierError(
      'template_unsupported',
      `the drill cannot read the filter pattern ${JSON.stringify(pattern)}; add its form to workshop/drill/alarms/log-pattern.ts`,
    );
  });
  return (line) => conditions.every((holds) => holds(line));
}
