import { expect, test } from 'vitest';
import { findRecord } from '#shared/operator/find-record.ts';
import { examine } from './browser.ts';
import type { Opened } from './opened.ts';
import { findTold } from './seeded-company.ts';

/** The test of the search, on a page of the seeded company. */
export function testSearch(opened: () => Opened): void {
  test('the search suggests, is moved through with keys, and is left with Escape', async () => {
    const { page, seeded, go } = opened();
    await go('/');
    const field = page.getByRole('combobox', { name: /^Find/ });
    await field.fill('kitch');
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await options.filter({ hasText: 'Kitchen' }).first().waitFor();
    expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
    await field.press('Escape');
    await expect.poll(() => options.count()).toBe(0);
    const [first, second] = seeded.company
      .payPeriods()
      .toSorted((a, b) => (a.startDate < b.startDate ? 1 : -1));
    await field.fill(first?.calendar ?? '');
    await options.nth(1).waitFor();
    expect(second).toBeDefined();
    const wanted = (await options.nth(1).textContent()) ?? '';
    await field.press('ArrowDown');
    expect(await options.nth(1).getAttribute('aria-selected')).toBe('true');
    await field.press('Enter');
    await page.waitForURL('**/periods/**');
    const id = decodeURIComponent(new URL(page.url()).pathname.slice('/periods/'.length));
    expect(wanted).toContain(id);
  });
}

/** The test of the way to a person, and to who was told, on a page of the seeded company. */
export function testThreeClicks(opened: () => Opened): void {
  test('three clicks say what happened to the timesheet of a person, and who was told', async () => {
    const { page, seeded, go } = opened();
    const record = findTold(seeded.harness);
    const [found] = await findRecord({ record, since: '90d' }, seeded.target);
    const told = found?.chapters.find(({ deliveries }) => deliveries.length > 0);
    const employeeId = String(found?.state?.employeeId ?? told?.event.data.employeeId);
    const name = (await seeded.context.knowledge.load('main')).names.employees.get(employeeId) ?? '';
    await go('/deliveries');
    await page.getByRole('combobox', { name: /^Find/ }).fill(name);
    await page.getByRole('listbox', { name: 'Suggestions' }).getByText(name, { exact: true }).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    const changes = page.locator(`.changes-of-day li:has(a[href*="/records/${record}"])`);
    await changes.first().waitFor();
    expect(await changes.count()).toBe(found?.chapters.length);
    await changes.filter({ hasText: 'Told: payroll-system' }).first().waitFor();
    await changes.first().getByRole('link').click();
    await page.waitForURL(`**/records/${record}?connection=main**`);
  });
}
