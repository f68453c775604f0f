import { expect, test } from 'vitest';
import type { PeriodsAnswer } from '#console/routes/periods.ts';
import { examine, NARROW, WIDE } from './browser.ts';
import type { Opened } from './opened.ts';

/** The test of what the board shows while the timesheets of a large company are counted. */
export function testFirstFigures(opened: () => Opened): void {
  test('the board has what is known before anything is counted, and says that the rest comes', async () => {
    const { page, go } = opened();
    const period = { connection: 'main', startDate: '2026-11-16', finishDate: '2026-11-22', closed: false };
    const answer: PeriodsAnswer = {
      periods: [],
      pending: [
        {
          ...{ ...period, id: '1_7', calendar: 'Weekly', deadline: '2026-11-27T00:00:00.000Z' },
          totals: { timesheets: 8_979, employees: 2_000, hours: 71_832.5 },
          stored: { timesheets: 9_000, processed: 4_500 },
        },
        { ...period, id: '2_7', calendar: 'Monthly', deadline: null, totals: null, stored: null },
      ],
      troubles: [],
      readAt: '2026-11-20T09:00:00.000Z',
    };
    await page.route('**/api/periods', (route) => route.fulfill({ json: answer }));
    await go('/deliveries');
    await page.getByRole('link', { name: 'Pay periods', exact: true }).click();
    const [known, unknown] = [page.locator('.period').first(), page.locator('.period').nth(1)];
    await known.getByText('71,832.5 h').waitFor();
    const text = await known.textContent();
    for (const each of [
      'Open',
      '8,979 timesheets, 2,000 people, says the workforce service',
      '50 % processed',
    ])
      expect(text).toContain(each);
    expect([await known.locator('.bone').count(), await unknown.locator('.bone').count()]).toEqual([2, 4]);
    expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
    await page.setViewportSize(NARROW);
    const beyond = "document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth";
    expect(await page.evaluate(beyond)).toBe(0);
    await page.setViewportSize(WIDE);
    await page.unroute('**/api/periods');
  });
}
