import type { Evidence } from '../evidence.ts';
import { type Account, isSameHours, type Parts, type ToldAccount } from './accounts.ts';
import { listPossible, type Possible, type Sheet } from './possible.ts';

const MAX_LISTED = 50;
const MAX_DEPARTMENTS = 100;

type Of = (sheet: Sheet) => boolean;

/** Every figure of an account lies between the least and the most that the books had between its looks and its commit. */
export function judgeFigures(evidence: Evidence, told: ToldAccount, account: Account): void {
  const possible = listPossible(evidence, told, account);
  // So many timesheets may be otherwise than the books have them.
  const doubted = account.reserves.reduce((sum, { timesheets }) => sum + (timesheets ?? 0), 0);
  const violate = (text: string) => evidence.violate(told.about, text);
  const judge = (name: string, parts: Parts, isOf: Of) => {
    const wrong = findWrong(parts, possible, { isOf, doubted });
    if (wrong !== null) violate(`${name}: ${wrong}`);
  };
  judge('all', account, () => true);
  for (const department of account.byDepartment)
    judge(
      `department ${department.departmentId}`,
      department,
      (sheet) => sheet.departmentId === department.departmentId,
    );
  judgeDepartments(account, violate);
  judgeLeftOver(account, possible, violate);
}

interface Group {
  readonly isOf: Of;
  readonly doubted: number;
}

function findWrong(parts: Parts, possible: readonly Possible[], { isOf, doubted }: Group): string | null {
  const groups: readonly (readonly [string, Parts['ready'], Of])[] = [
    ['', parts, isOf],
    ['ready ', parts.ready, (sheet) => isOf(sheet) && sheet.isReady],
    ['not ready ', parts.notReady, (sheet) => isOf(sheet) && !sheet.isReady],
  ];
  const isUnprocessed = (sheet: Sheet) => isOf(sheet) && !sheet.isProcessed;
  const checks = [
    ...groups.flatMap(([name, { people, timesheets, hours }, of]) => [
      [
        `${name}timesheets`,
        timesheets,
        addUp(possible, { doubted, value: (sheet) => Number(of(sheet)) }),
      ] as const,
      [
        `${name}hours`,
        hours,
        addUp(possible, { doubted, value: (sheet) => (of(sheet) ? sheet.hours : 0) }),
      ] as const,
      [`${name}people`, people, countPeople(possible, { isOf: of, doubted })] as const,
    ]),
    [
      'unprocessed',
      parts.unprocessed,
      addUp(possible, { doubted, value: (sheet) => Number(isUnprocessed(sheet)) }),
    ] as const,
  ];
  const wrong = checks.find(([, said, { least, most }]) => said < least - 0.001 || said > most + 0.001);
  if (wrong === undefined) return null;
  const [name, said, { least, most }] = wrong;
  return `says ${name} ${said}, and the books have ${least} to ${most}`;
}

interface Range {
  readonly least: number;
  readonly most: number;
}

/** The sum at the least and at the most, where the reserves excuse those that make the largest difference. */
function addUp(
  possible: readonly Possible[],
  { value, doubted }: { readonly value: (sheet: Sheet) => number; readonly doubted: number },
): Range {
  const rangeOf = (sheets: readonly (Sheet | null)[]): Range => {
    const values = sheets.map((sheet) => (sheet === null ? 0 : value(sheet)));
    return { least: Math.min(...values), most: Math.max(...values) };
  };
  const sure = possible.map((each) => rangeOf(each.sure));
  const wide = doubted === 0 ? sure : possible.map((each) => rangeOf(each.doubted));
  const excuse = (by: readonly number[]) => sum([...by].sort((a, b) => b - a).slice(0, doubted));
  return {
    least:
      sum(sure.map(({ least }) => least)) -
      excuse(sure.map(({ least }, at) => least - (wide[at]?.least ?? 0))),
    most:
      sum(sure.map(({ most }) => most)) + excuse(sure.map(({ most }, at) => (wide[at]?.most ?? 0) - most)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

function countPeople(possible: readonly Possible[], { isOf, doubted }: Group): Range {
  const certain = new Set<string>();
  const some = new Set<string>();
  for (const { sure } of possible) {
    const own = sure.filter((sheet) => sheet !== null && isOf(sheet));
    for (const sheet of own) if (sheet !== null) some.add(sheet.employeeId);
    const [first] = own;
    if (
      first != null &&
      own.length === sure.length &&
      own.every((each) => each?.employeeId === first.employeeId)
    )
      certain.add(first.employeeId);
  }
  return { least: certain.size - doubted, most: some.size + doubted };
}

/** The departments add up to the period. */
function judgeDepartments(account: Account, violate: (text: string) => void): void {
  const { departments, byDepartment } = account;
  if (byDepartment.length !== Math.min(departments, MAX_DEPARTMENTS))
    violate('does not list its departments');
  if (departments > MAX_DEPARTMENTS) return;
  const figures: readonly ((parts: Parts) => number)[] = [
    ({ timesheets }) => timesheets,
    ({ hours }) => hours,
    ({ ready }) => ready.hours,
    ({ notReady }) => notReady.hours,
    ({ notReady }) => notReady.timesheets,
    ({ unprocessed }) => unprocessed,
  ];
  if (figures.some((figure) => !isSameHours(sum(byDepartment.map(figure)), figure(account))))
    violate('its departments do not add up');
  const { ready, notReady, timesheets, hours } = account;
  const isWhole =
    ready.timesheets + notReady.timesheets === timesheets && isSameHours(ready.hours + notReady.hours, hours);
  if (!isWhole) violate('ready and not ready do not add up');
}

function judgeLeftOver(
  { leftOver, notReady, unprocessed, state }: Account,
  possible: readonly Possible[],
  violate: (text: string) => void,
): void {
  const isSettled = state === 'settled';
  const most = Math.min(MAX_LISTED, isSettled ? notReady.timesheets + unprocessed : notReady.timesheets);
  const least = Math.min(MAX_LISTED, isSettled ? unprocessed : notReady.timesheets);
  if (leftOver.length < least || leftOver.length > most) violate(`lists ${leftOver.length} as left over`);
  for (const { timesheetId, employeeId, departmentId, hours } of leftOver) {
    const isSo = possible.some(({ doubted }) =>
      doubted.some(
        (sheet) =>
          sheet?.id === timesheetId &&
          (!sheet.isReady || (isSettled && !sheet.isProcessed)) &&
          sheet.employeeId === employeeId &&
          sheet.departmentId === departmentId &&
          isSameHours(sheet.hours, hours),
      ),
    );
    if (!isSo) violate(`says that ${timesheetId} is left over, as it never was`);
  }
}
