/** The value of a JSON text; null when it is not JSON, which no schema of this project accepts either. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports what it could not read, without quoting it.
    return null;
  }
}
