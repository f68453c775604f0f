import * as z from 'zod';
import { ENVIRONMENT } from './names.ts';

/** A variable that is set. */
export const textSchema = z.string().min(1);

/** The topics of all events, as `readEnvironment` takes them. */
export function topicArns() {
  return {
    timesheets: [ENVIRONMENT.topicArns.timesheets, textSchema],
    'pay-periods': [ENVIRONMENT.topicArns['pay-periods'], textSchema],
    directory: [ENVIRONMENT.topicArns.directory, textSchema],
    operations: [ENVIRONMENT.topicArns.operations, textSchema],
  } as const;
}

/** Variables of a function by what its code calls them: the name of each, and what it holds. */
type Settings = Readonly<Record<string, readonly [variable: string, schema: z.ZodType]>>;

/** Reads what a function needs of its environment. Throws a ZodError that names every variable that is missing or wrong. */
export function readEnvironment<const Needed extends Settings>(
  needed: Needed,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly [Name in keyof Needed]: z.output<Needed[Name][1]> } {
  const read = z.object(Object.fromEntries(Object.values(needed))).parse(variables);
  const named = Object.entries(needed).map(([name, [variable]]) => [name, read[variable]]);
  return Object.fromEntries(named);
}
