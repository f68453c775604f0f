import * as z from 'zod';
import { dataSchema } from '#shared/core/definitions/event-schemas.ts';
import { accountSchema } from '#shared/core/periods/account-data.ts';

/** A member of the data of an event. */
export interface Member {
  readonly name: string;
  readonly description: string;
}

/** Members that the events of all kinds of records have, as those of a timesheet describe them. */
export const COMMON_MEMBERS: ReadonlySet<string> = new Set(
  Object.keys(dataSchema('pay_period.changed').shape),
);
/** Members that any event of a timesheet may have. */
export const TIMESHEET_MEMBERS: ReadonlySet<string> = new Set(
  Object.keys(dataSchema('timesheet.changed').shape),
);
/** What the account of all timesheets says as well, and what the names say. */
const OF_ITSELF =
  /^(?:(?:ready|notReady|byDepartment|leftOver|changes\.listed)\.(?!missing|reason)|departments$|reserves\.(?!kind))/;

export function renderCommonMembers(): string {
  const all = listMembers(dataSchema('timesheet.changed'));
  return renderMembers(
    'Member',
    all.filter(({ name }) => COMMON_MEMBERS.has(name)),
  );
}

export function renderTimesheetMembers(): string {
  const all = listMembers(dataSchema('timesheet.changed'));
  const own = all.filter(({ name, description }) => !COMMON_MEMBERS.has(name) && description !== '');
  return renderMembers('Member', own);
}

/** Also what is within its members. */
export function renderAccount(): string {
  const told = listMembersWithin(accountSchema).filter(
    ({ name, description }) => description !== '' && !OF_ITSELF.test(name),
  );
  return renderMembers('In `account`', told);
}

/** Their names say all of those without a description. */
export function listMembers(object: z.ZodObject): Member[] {
  return Object.entries(object.shape).map(([name, schema]) => ({
    name,
    description: z.toJSONSchema(schema as z.ZodType).description ?? '',
  }));
}

export function renderMembers(heading: string, members: readonly Member[]): string {
  const rows = members.map(({ name, description }) => `| \`${name}\` | ${description} |`);
  return [`| ${heading} | Meaning |`, '|---|---|', ...rows].join('\n');
}

/** `changes.open`, and of a list `reserves.kind`. */
function listMembersWithin(object: z.ZodObject): Member[] {
  return listMembers(object).flatMap((member) => {
    const inner = unwrap(object.shape[member.name] as z.ZodType);
    const within = inner instanceof z.ZodObject ? listMembersWithin(inner) : [];
    return [member, ...within.map((each) => ({ ...each, name: `${member.name}.${each.name}` }))];
  });
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) return unwrap(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodArray ? unwrap(schema.element as z.ZodType) : schema;
}
