import type { Page } from '#shared/core/fetch/pages.ts';

/**
 * Contents of one page of several lists in a row, as the source pages them. `nextPage` is the number of the next
 * page.
 */
export function buildListPage<Item>(
  lists: readonly (readonly Item[])[],
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): { readonly records: Item[]; readonly pagination: NonNullable<Page['pagination']> } {
  const totalRecords = lists.reduce((sum, list) => sum + list.length, 0);
  const totalPages = Math.max(1, Math.ceil(totalRecords / pageSize));
  const nextPage = page < totalPages ? String(page + 1) : '';
  const records = sliceLists(lists, (page - 1) * pageSize, page * pageSize);
  return { records, pagination: { page, pageSize, totalPages, totalRecords, nextPage } };
}

/** Number of the page that `nextPage` of the page before asks for; the first page without one. */
export function readPageNumber(nextPage: string | null): number {
  return nextPage === null ? 1 : Number(nextPage);
}

function sliceLists<Item>(lists: readonly (readonly Item[])[], from: number, to: number): Item[] {
  const items: Item[] = [];
  let start = 0;
  for (const list of lists) {
    if (start < to && start + list.length > from)
      items.push(...list.slice(Math.max(0, from - start), to - start));
    start += list.length;
  }
  return items;
}
