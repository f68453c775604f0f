import type { NameSource } from '#shared/names/flow/refresh-names.ts';
import type { NamedKind } from '#shared/names/names.ts';
import type { ListReader } from './list-reader.ts';
import { parseShape, uncheckedList } from './shape.ts';

/** Lists that come whole, as bare arrays. */
const PATHS: Record<NamedKind, string> = {
  employees: '/employees',
  departments: '/departments',
  activities: '/activities',
  organisations: '/organisations',
};

/** The port `NameSource`. No list is kept for its ETag: that of employees can be large. */
export function createNameSource(api: ListReader): NameSource {
  return {
    async list(kind) {
      const { value, place } = await api.read({ path: PATHS[kind] });
      return parseShape(uncheckedList, value, place);
    },
    counts: () => api.counts(),
  };
}
