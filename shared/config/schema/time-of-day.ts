import * as z from 'zod';

export const timeOfDaySchema = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day is HH:MM, from 00:00 to 23:59');
