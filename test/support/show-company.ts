import type { Company } from '#local/source/company/company.ts';
import type { PollHarness } from './poll-harness.ts';

/**
 * The sample company becomes the source of a harness. Returns what shows its changes since the last call, and whether
 * there were any.
 */
export function showCompany(company: Company, harness: PollHarness): () => boolean {
  harness.put(...company.timesheets());
  harness.members = (employeeId, id) =>
    company.members({ id }).flatMap((each) => (each.employeeId === employeeId ? [each.id] : []));
  let shown = company.history.length;
  return () => {
    const changed = company.history.slice(shown).filter(({ feed }) => feed === 'timesheets');
    const hasChanged = shown < company.history.length;
    shown = company.history.length;
    for (const id of new Set(changed.map((each) => each.id))) {
      const record = company.timesheet(id);
      if (record === undefined) harness.remove(id);
      else harness.put(record);
    }
    harness.lists['pay-periods'] = company.payPeriods();
    harness.lists.employees = company.employees();
    harness.lists.departments = company.departments();
    return hasChanged;
  };
}
