import * as z from 'zod';
import type { Assembly } from './assembly.ts';
import type { Resolver } from './resolver.ts';

const PARAMETER = 'AWS::SSM::Parameter';
const parameterSchema = z.looseObject({ Name: z.string(), Value: z.string() });

/** The SSM parameters of the template, by path without the name of the stack. */
export function readStackParts(
  { template, stackName }: Assembly,
  resolver: Resolver,
): ReadonlyMap<string, string> {
  const prefix = `/${stackName}/`;
  const parameters = Object.values(template.Resources).filter(({ Type }) => Type === PARAMETER);
  return new Map(
    parameters.map(({ Properties }) => {
      const { Name, Value } = parameterSchema.parse(resolver.resolve(Properties));
      return [Name.slice(prefix.length), Value];
    }),
  );
}
