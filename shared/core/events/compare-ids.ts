/** In the order of UTF-16 units; what has no id comes first. */
export function compareIds(left: string | null, right: string | null): number {
  if (left === right) return 0;
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
