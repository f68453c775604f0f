import { InvalidArgumentError } from 'commander';
import type * as z from 'zod';
import { DURATION_FORM, parseDuration } from '#cli/duration.ts';
import { timeZoneSchema } from '#shared/config/schema/time-zone.ts';

const MAX_WINDOW_DAYS = 730;
const MIN_EVERY_MS = 100;
const MAX_SPEED = 86_400;

export function checkTimeZone(text: string): string {
  return checkWithSchema(timeZoneSchema, text);
}

function checkWithSchema<T>(schema: z.ZodType<T>, text: string): T {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'invalid');
}

export function checkFolder(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('must name a folder, such as .data');
  return text;
}

export function checkEvery(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null && duration >= MIN_EVERY_MS) return duration;
  throw new InvalidArgumentError(`must be ${DURATION_FORM}, and at least ${MIN_EVERY_MS}ms`);
}

export function checkDays(text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days <= MAX_WINDOW_DAYS) return days;
  throw new InvalidArgumentError(`must be a whole number of days from 0 to ${MAX_WINDOW_DAYS}`);
}

export function checkSpeed(text: string): number {
  const speed = Number(text);
  if (text.trim() !== '' && speed > 0 && speed <= MAX_SPEED) return speed;
  throw new InvalidArgumentError(`must be a number above 0 and at most ${MAX_SPEED}`);
}
