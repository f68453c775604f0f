import * as z from 'zod';

/** What is wrong with a value of the config, and where. */
export interface ConfigIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Longer values are cut. */
const MAX_SHOWN_CHARACTERS = 60;

/** Types of zod in words. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  int: 'a whole number',
};
/** What a bound counts, by the kind of value. */
const BOUND_UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'value' };
const KIND_ADVICE = 'give ';

/** A name that differs by more edits is another word. */
const MAX_EDITS = 3;
/** Members of an object that an example shows. */
const MAX_EXAMPLE_MEMBERS = 2;

const NETWORK = 'a network is given to the stack, as `network` in app.ts: docs/in-your-company.md#a-network';
const ON_CALL = 'whoever is on call listens to a topic of SNS: give its ARN as alarms.topicArn';
/** What people look for by another name, in small letters, and where it is. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...{ vpc: NETWORK, vpcid: NETWORK, subnets: NETWORK, network: NETWORK },
  ...{ pagerduty: ON_CALL, opsgenie: ON_CALL, incidentmanager: ON_CALL, oncall: ON_CALL },
};

/** Settings whose value may be a secret in the wrong place. */
const REDACTED_MEMBERS = new Set<PropertyKey>(['secretName']);

/**
 * One line for an issue: the path, what is wrong, and the value unless the message contains it. Never shows what could
 * be a secret: the value of an unknown setting, of `secretName`, or a password in an address.
 */
export function describeConfigIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const path = formatPath(issue.path);
  if (issue.code === 'unrecognized_keys') return `${path || 'the config'}: ${issue.message}`;
  const missing = describeMissing(issue, input);
  if (missing !== null) return `${path || 'the config'}: ${missing}`;
  const message = issue.message.replace(/^(?:Invalid \w+|Too small|Too big): /, '');
  const value = formatValue(issue, input);
  // A check of a setting that is not given is about its default, which the message names.
  const isDefault = issue.code === 'custom' && value === 'nothing';
  const isShown = value === null || isDefault || (value.startsWith('"') && message.includes(value));
  const got = isShown ? '' : `, got ${value}`;
  return `${path || 'the config'}: ${message}${got}`;
}

/** Replaces zod's message for a missing value or an empty list; null for other issues. */
function describeMissing(issue: z.core.$ZodIssue, input: unknown): string | null {
  if (issue.code === 'too_small' && issue.origin === 'array' && issue.message.startsWith(KIND_ADVICE)) {
    return 'is an empty list; name at least one';
  }
  const isKind = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  if (!isKind || !issue.message.startsWith(KIND_ADVICE)) return null;
  const isMissing = issue.path.reduce<unknown>(memberOf, input) === undefined;
  return isMissing ? `is missing; ${issue.message}` : null;
}

/**
 * Words for what zod itself only names: unknown settings, and values of another kind or out of bounds. Called while zod
 * parses, since its issues know the schema only then.
 */
export function wordConfigIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    const names = issue.keys.map((key) => JSON.stringify(key)).join(', ');
    const meant = new Set(issue.keys.flatMap((key) => findClosest(key, known) ?? []));
    const elsewhere = issue.keys
      .map((key) => ELSEWHERE[key.toLowerCase()])
      .find((each) => each !== undefined);
    const advice =
      meant.size === 0
        ? (elsewhere ?? 'remove it or correct its name')
        : `did you mean ${[...meant].join(', ')}?`;
    return `unknown setting ${names}; ${advice}`;
  }
  if (issue.code === 'invalid_value') return `${KIND_ADVICE}${listChoices(issue)}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') return `${KIND_ADVICE}${describeBound(issue)}`;
  if (issue.code !== 'invalid_type') return undefined;
  const kind = KIND_WORDS[issue.expected] ?? issue.expected;
  if (issue.expected !== 'string') return `${KIND_ADVICE}${kind}, such as ${writeExample(issue.inst)}`;
  const form = describeForm(issue.inst);
  return form === null ? `${KIND_ADVICE}${kind} in quotes` : `${KIND_ADVICE}${kind}: ${form}`;
}

/** The values of which a setting takes one, with the one that was probably meant before them. */
function listChoices({ input, values }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidValue>): string {
  const closest = findClosest(String(input), values.map(String));
  const meant = closest === null ? '' : `; did you mean ${JSON.stringify(closest)}?`;
  return `${values.length === 1 ? '' : 'one of '}${values.map((value) => JSON.stringify(value)).join(', ')}${meant}`;
}

type BoundIssue = z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>;

/** `at least 1`, `at most 128 characters`. */
function describeBound(issue: BoundIssue): string {
  const isLower = issue.code === 'too_small';
  const bound = Number(isLower ? issue.minimum : issue.maximum);
  const unit = BOUND_UNITS[issue.origin];
  const counted = unit === undefined ? bound : `${bound} ${unit}${bound === 1 ? '' : 's'}`;
  if (issue.inclusive === false) return `${isLower ? 'more' : 'less'} than ${counted}`;
  return `at ${isLower ? 'least' : 'most'} ${counted}`;
}

/** Which texts a setting takes, in its own words; null when any. An empty one is refused with them. */
function describeForm(schema: unknown): string | null {
  const issues = schema instanceof z.ZodType ? (schema.safeParse('').error?.issues ?? []) : [];
  // What they say of the empty text itself is not about the one that was given.
  const [form = null] = issues.map(({ message }) => message.replace(/^[^;]*""; /, ''));
  return form?.startsWith('Too small') === true ? null : form;
}

/** The name that is the fewest edits away, whatever its case; null when none is close. */
function findClosest(text: string, names: readonly string[]): string | null {
  const edits = names.map((name) => countEdits(text.toLowerCase(), name.toLowerCase()));
  const fewest = Math.min(...edits);
  const closest = names[edits.indexOf(fewest)] ?? '';
  return fewest <= Math.min(MAX_EDITS, closest.length / 3) ? closest : null;
}

/** The Levenshtein distance of two short texts. */
function countEdits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, left] of [...from].entries()) {
    const line = [row + 1];
    for (const [column, right] of [...to].entries()) {
      const [diagonal = 0, over = 0] = above.slice(column, column + 2);
      line.push(Math.min((line[column] ?? 0) + 1, over + 1, diagonal + (left === right ? 0 : 1)));
    }
    above = line;
  }
  return above[to.length] ?? 0;
}

/** A value of a schema as one writes it, by its defaults and smallest numbers; of texts only that they are texts. */
function writeExample(schema: unknown): string {
  if (schema instanceof z.ZodDefault) return JSON.stringify(schema.def.defaultValue);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault)
    return writeExample(schema.unwrap());
  if (schema instanceof z.ZodBoolean) return 'true';
  if (schema instanceof z.ZodNumber) return String(Math.max(1, schema.minValue ?? 1));
  if (schema instanceof z.ZodEnum) return JSON.stringify(schema.options[0]);
  if (schema instanceof z.ZodUnion) return writeExample(schema.options[0]);
  if (schema instanceof z.ZodRecord) return `{ name: ${writeExample(schema.valueType)} }`;
  if (schema instanceof z.ZodArray) return `[${writeExample(schema.element)}]`;
  if (!(schema instanceof z.ZodObject)) return JSON.stringify(findTextExample(schema) ?? '...');
  const members = Object.entries(schema.shape).slice(0, MAX_EXAMPLE_MEMBERS);
  return `{ ${members.map(([name, member]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${writeExample(member)}`).join(', ')} }`;
}

/** What the words for a text say that it is such as. */
function findTextExample(schema: unknown): string | null {
  return / such as (?<example>\S+?)[.,;:]?(?:$| )/.exec(describeForm(schema) ?? '')?.groups?.example ?? null;
}

/** `connections[0].timeZone` */
function formatPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return parts.join('').replace(/^\./, '');
}

/** Of a list or an object its kind, where another one is wanted. */
function formatValue({ code, path }: z.core.$ZodIssue, input: unknown): string | null {
  const value = path.reduce<unknown>(memberOf, input);
  const isCompound = typeof value === 'object' && value !== null;
  if (path.some((part) => REDACTED_MEMBERS.has(part)) || (isCompound && code !== 'invalid_type')) return null;
  if (value === undefined) return 'nothing';
  if (isCompound) return Array.isArray(value) ? 'a list' : 'an object';
  const text = typeof value === 'string' ? JSON.stringify(redactCredentials(value)) : String(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text;
}

function memberOf(value: unknown, part: PropertyKey): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<PropertyKey, unknown>)[part]
    : undefined;
}

/** An address without user, password and query. */
function redactCredentials(text: string): string {
  return text.replace(/[^/@]*@/g, '***@').replace(/\?.*$/s, '?***');
}
