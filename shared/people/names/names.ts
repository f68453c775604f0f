/** Kinds of record whose names are stored, and by their department those who manage it. */
export const NAMED_KINDS = ['employees', 'departments', 'activities', 'organisations', 'managers'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

/**
 * Names by id. A kind that may not be shown is empty. Names are as the source wrote them, not escaped for any medium.
 * `managers` has what the source gives by the id of a department: the id of an employee.
 */
export type Names = Readonly<Record<NamedKind, ReadonlyMap<string, string>>>;

/** For readers who may see ids only. */
export const NO_NAMES: Names = {
  employees: new Map(),
  departments: new Map(),
  activities: new Map(),
  organisations: new Map(),
  managers: new Map(),
};

const DAY_MS = 24 * 60 * 60_000;

/** Names expire after this time without a refresh, which happens when the config names their kind no more. */
const LIFETIME_MS = 14 * DAY_MS;
/**
 * A refresh rewrites unchanged names when less than this is left. So the source may be away for 10 days before messages
 * fall back to ids, and most refreshes write nothing.
 */
const RENEWED_BELOW_MS = 10 * DAY_MS;

/** When names written now expire. Instants are in milliseconds since 1970. */
export function computeNamesExpiry(now: number): number {
  return now + LIFETIME_MS;
}

/** Whether unchanged names must be written again. */
export function mustRenewNames(expiresAt: number, now: number): boolean {
  return expiresAt - now < RENEWED_BELOW_MS;
}

/** Whether names must not be shown any more; DynamoDB may take days to delete them. */
export function areNamesExpired(expiresAt: number, now: number): boolean {
  return now >= expiresAt;
}
