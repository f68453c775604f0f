const MAX_WIDTH = 100;

/** JSON in which an object or a list stands on one line where it fits. */
export function formatJson(value: unknown, indent = ''): string {
  const line = toLine(value);
  if (indent.length + line.length <= MAX_WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => `${inner}${formatJson(each, inner)}`).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}"${name}": ${formatJson(each, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function toLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `"${name}": ${toLine(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
