import { parseJsonOrNull } from './parse-json.ts';

/** Longer names are cut in messages. */
const MAX_NAME_CHARACTERS = 40;

/** What a secret holds: a JSON object, or a text that is its member `alone`. Null when it is broken JSON. */
export function parseSecretMembers(text: string, alone: string): unknown {
  const trimmed = text.trim();
  return trimmed.startsWith('{') ? parseJsonOrNull(trimmed) : { [alone]: trimmed };
}

/**
 * What is wrong with an object that has a member nobody reads, such as `Headers` beside `headers`; null when all are
 * known. Names that member, and never a value.
 */
export function describeUnknownMember(members: unknown, known: readonly string[], place = ''): string | null {
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return null;
  const name = Object.keys(members).find((each) => !known.includes(each));
  if (name === undefined) return null;
  const shown = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}...` : name;
  return `has an unknown member ${JSON.stringify(shown)}${place}; remove it, or rename it to one of ${known.join(', ')}`;
}
