import type { Line, LineFilter } from '#console/routes/lines.ts';

/** Whether a line is wanted. */
export function createLineTest(filter: LineFilter): (line: Line) => boolean {
  const matchesType = createTypeTest(filter.type);
  return (line) =>
    matchesType(line.type) &&
    (filter.connection === undefined || line.connection === filter.connection) &&
    (filter.department === undefined || line.departmentId === filter.department) &&
    (filter.calendar === undefined || line.calendars.includes(filter.calendar)) &&
    (filter.late === undefined || line.late.length > 0);
}

/** `timesheet.*`, or several patterns with commas in between. */
function createTypeTest(pattern: string | undefined): (type: string) => boolean {
  if (pattern === undefined) return () => true;
  const parts = pattern.split(',').map((part) => part.trim().replace(/^workforce\./, ''));
  return (type) => parts.some((part) => matches(type, part.split('*')));
}

/** Without a regular expression: the pattern is in an address that anybody may have written. */
function matches(type: string, [first = '', ...rest]: readonly string[]): boolean {
  if (!type.startsWith(first)) return false;
  let from = first.length;
  for (const [index, piece] of rest.entries()) {
    if (index === rest.length - 1) return type.length - piece.length >= from && type.endsWith(piece);
    const at = type.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from === type.length;
}
