import type * as z from 'zod';

/** Longer values are cut. */
const MAX_SHOWN_CHARACTERS = 60;

/** Types of zod in words. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};

/** Settings whose value may be a secret in the wrong place. */
const REDACTED_MEMBERS = new Set<PropertyKey>(['secretName']);

/**
 * One line for an issue: the path, what is wrong, and the value unless the message contains it. Never shows what could
 * be a secret: the value of an unknown setting, of `secretName`, or a password in an address.
 */
export function describeConfigIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const path = formatPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => JSON.stringify(key)).join(', ');
    return `${path || 'the config'}: unknown setting ${names}; remove it or correct its name`;
  }
  const missing = describeMissing(issue, input);
  if (missing !== null) return `${path || 'the config'}: ${missing}`;
  const message = issue.message.replace(/^(?:Invalid \w+|Too small|Too big): /, '');
  const value = formatValue(issue.path, input);
  // A check of a setting that is not given is about its default, which the message names.
  const isDefault = issue.code === 'custom' && value === 'nothing';
  const isShown = value === null || isDefault || (value.startsWith('"') && message.includes(value));
  const got = isShown ? '' : `, got ${value}`;
  return `${path || 'the config'}: ${message}${got}`;
}

/** Replaces zod's message for a missing value or an empty list; null for other issues. */
function describeMissing(issue: z.core.$ZodIssue, input: unknown): string | null {
  if (issue.code === 'too_small' && issue.origin === 'array' && issue.message.startsWith('Too small')) {
    return 'is an empty list; name at least one';
  }
  if (issue.code !== 'invalid_type' || !issue.message.startsWith('Invalid input')) return null;
  const isMissing = issue.path.reduce<unknown>(memberOf, input) === undefined;
  const kind = KIND_WORDS[issue.expected] ?? issue.expected;
  return isMissing ? `is missing; give ${kind}` : null;
}

/** `connections[0].timeZone` */
function formatPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return parts.join('').replace(/^\./, '');
}

function formatValue(path: readonly PropertyKey[], input: unknown): string | null {
  if (path.some((part) => REDACTED_MEMBERS.has(part))) return null;
  const value = path.reduce<unknown>(memberOf, input);
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return null;
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
