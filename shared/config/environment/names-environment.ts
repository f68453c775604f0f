import * as z from 'zod';
import { ENVIRONMENT } from '../names.ts';

const environmentSchema = z.object({ [ENVIRONMENT.tableName]: z.string().min(1) });

/** Reads the environment of the function that refreshes names. Throws a ZodError that names what is missing. */
export function readNamesEnvironment(variables: Readonly<Record<string, string | undefined>>): {
  readonly tableName: string;
} {
  return { tableName: environmentSchema.parse(variables)[ENVIRONMENT.tableName] };
}
