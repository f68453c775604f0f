import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Whether to colour text on a stream: on a terminal, unless NO_COLOR is set (no-color.org). */
export function wantsColour(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && (environment.NO_COLOR ?? '') === '';
}

/** Styles text when `colour` is on. */
export function createPainter(colour: boolean): (style: Style | undefined, text: string) => string {
  return (style, text) =>
    style === undefined || !colour || text === '' ? text : styleText(style, text, { validateStream: false });
}

/** Styles text for standard output. */
export function applyStyle(style: Style, text: string): string {
  return createPainter(wantsColour(process.stdout, process.env))(style, text);
}

/** Lines with aligned columns, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export function print(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
