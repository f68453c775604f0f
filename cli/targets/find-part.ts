import { NotifierError } from '#shared/core/errors.ts';

/** Looks into what a stack says of itself. */
export function createPartLookup(
  parts: ReadonlyMap<string, string>,
  title: string,
): (path: string) => string {
  return (path) => {
    const value = parts.get(path);
    if (value !== undefined) return value;
    throw new NotifierError(
      'part_missing',
      `${title} has no ${path}; ${suggestPaths(path, [...parts.keys()])}`,
    );
  };
}

/** What is there under the same heading, or what to do when nothing is. */
function suggestPaths(path: string, known: readonly string[]): string {
  const [heading = '', ...rest] = path.split('/');
  const ending = rest.at(-1) ?? '';
  const names = known
    .filter((each) => each.startsWith(`${heading}/`) && each.endsWith(`/${ending}`))
    .map((each) => each.slice(heading.length + 1, -ending.length - 1));
  return names.length === 0
    ? 'deploy the stack of this version'
    : `there are ${names.join(', ')}; correct the name, or add it to the config and deploy`;
}
