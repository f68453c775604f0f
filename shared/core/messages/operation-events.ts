import * as z from 'zod';
import { envelope } from './record-events.ts';

export const count = z.int().min(0);
/** Member of operational events about a feed. */
export const watchedFeed = { feed: z.string() };

/** An operational event of one type, with the members of its data that a sentence needs. */
export function operationEvent<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ ...envelope, type: z.literal(type), data: z.looseObject(shape) });
}
