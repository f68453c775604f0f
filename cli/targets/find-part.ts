import { NotifierError } from '#shared/core/errors.ts';

/** Looks parameters of a stack up by path. The function throws a `NotifierError` (`part_missing`). */
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

/** Names the existing parts of the same kind; without any, the stack is of another version. */
function suggestPaths(path: string, known: readonly string[]): string {
  const [heading = '', ...rest] = path.split('/');
  const ending = rest.at(-1) ?? '';
  const names = known
    .filter((each) => each.startsWith(`${heading}/`) && each.endsWith(`/${ending}`))
    .map((each) => each.slice(heading.length + 1, -ending.length - 1));
  return names.length === 0
    ? 'deploy this version of the stack'
    : `there are ${names.join(', ')}; correct the name, or add it to the config and deploy`;
}
