const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** The form of a duration, for error messages. */
export const DURATION_FORM = 'a number with ms, s, m or h, such as 2s';

/** Milliseconds of a duration such as `500ms`, `2s`, `5m` or `1h`; `null` for any other text. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}
