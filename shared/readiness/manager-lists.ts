import { hash } from 'node:crypto';
import { roundNumber } from '../core/records/values.ts';
import type { Names } from '../names/names.ts';
import { isReadinessEvent, type ReadinessEvent } from './readiness-sentences.ts';

type Readiness = ReadinessEvent['data']['readiness'];

/** What waits for approval in the departments of one address. */
export interface ManagerList {
  /** Where the manager reads it: an address of mail, or an id in Slack. */
  readonly to: string;
  /** Stands for the address in keys. */
  readonly key: string;
  readonly event: ReadinessEvent;
}

const KEY_DIGITS = 16;

/** All who get an event through a channel: those who read it, and each manager of what waits. */
export function listReaders<Event extends { readonly type: string }>(
  event: Event,
  addresses: Readonly<Record<string, string>>,
  names: Pick<Names, 'managers'>,
): { readonly event: Event | ReadinessEvent; readonly manager?: ManagerList }[] {
  const lists = isReadinessEvent(event) ? listForManagers(event, addresses, names) : [];
  return [{ event }, ...lists.map((manager) => ({ event: manager.event, manager }))];
}

/**
 * The list of each manager who has an address, by the managers of the departments in which something waits.
 * Departments without a manager, or whose manager has no address, are in none of them; the list of the channel has
 * everything.
 */
function listForManagers(
  event: ReadinessEvent,
  addresses: Readonly<Record<string, string>>,
  { managers }: Pick<Names, 'managers'>,
): ManagerList[] {
  const { byDepartment } = event.data.readiness;
  const addressOf = ({ departmentId }: Readiness['byDepartment'][number]) => {
    const manager = managers.get(departmentId ?? '') ?? '';
    return Object.hasOwn(addresses, manager) ? addresses[manager] : undefined;
  };
  return [...Map.groupBy(byDepartment, addressOf)].flatMap(([to, departments]) => {
    if (to === undefined) return [];
    const readiness = narrow(event.data.readiness, departments);
    const key = hash('sha256', to, 'hex').slice(0, KEY_DIGITS);
    return [{ to, key, event: { ...event, data: { ...event.data, readiness } } }];
  });
}

/** The same of some departments. What is in doubt stays said. */
function narrow(all: Readiness, byDepartment: Readiness['byDepartment']): Readiness {
  const ids = new Set(byDepartment.map(({ departmentId }) => departmentId));
  const sum = (count: (each: Readiness['byDepartment'][number]) => number) =>
    byDepartment.reduce((total, each) => total + count(each), 0);
  const waiting = all.waiting.filter(({ departmentId }) => ids.has(departmentId));
  const timesheets = sum((each) => each.timesheets);
  const unapproved = sum((each) => each.unapproved);
  const isWhole = waiting.length === unapproved;
  const [only, second] = byDepartment;
  const known = second === undefined ? (only?.unapprovedEmployees ?? 0) : 0;
  const people = new Set(waiting.flatMap(({ employeeId }) => employeeId ?? []));
  return {
    ...all,
    timesheets,
    unapproved,
    approved: timesheets - unapproved,
    unapprovedEmployees: isWhole ? people.size : known,
    unapprovedHours: roundNumber(sum((each) => each.unapprovedHours)),
    payrollUnapproved: null,
    departments: byDepartment.length,
    byDepartment,
    waiting,
  };
}
