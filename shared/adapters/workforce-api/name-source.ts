import * as z from 'zod';
import type { NamedKind } from '#shared/core/names/names.ts';
import type { NameSource } from '#shared/ports/names.ts';
import type { WorkforceApi } from './api.ts';
import { parseShape } from './shape.ts';

const bareListSchema = z.custom<readonly unknown[]>(Array.isArray, { error: 'expected an array' });

/** Sections 4.2, 4.3, 4.5 and 4.6 of the specification: lists that come whole, as bare arrays. */
const PATHS: Record<NamedKind, string> = {
  employees: '/employees',
  departments: '/departments',
  activities: '/activities',
  organisations: '/organisations',
};

/** Lists with names in them. No list is kept for the next time: that of employees can be large. */
export function createNameSource(api: WorkforceApi): NameSource {
  return {
    async list(kind) {
      const { value, place } = await api.read({ path: PATHS[kind] });
      return parseShape(bareListSchema, value, place);
    },
    counts: () => api.counts(),
  };
}
