/** Whether two states say the same, in whatever order their members are. */
export function isSameState(left: object, right: object): boolean {
  return JSON.stringify(left, sortMembers) === JSON.stringify(right, sortMembers);
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
