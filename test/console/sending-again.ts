import { expect, test } from 'vitest';
import { readDeliveries } from '#console/server/deliveries/read-deliveries.ts';
import type { Opened } from './opened.ts';

/** The test of what is sent again from the page of the seeded company. */
export function testSendingAgain(opened: () => Opened): void {
  test('what was given up is sent again at once, byte for byte', async () => {
    const { page, seeded, go } = opened();
    const to = 'payroll-system';
    const type = 'timesheet.approved';
    const { deliveries } = await readDeliveries({ to, type }, seeded.context);
    const [wanted] = deliveries;
    await seeded.giveUp(wanted?.eventId ?? '');
    await go(`/deliveries?to=${to}&outcome=failed`);
    await page.selectOption('select[aria-label=Type]', type);
    await expect.poll(() => page.locator('.delivery').count()).toBe(1);
    await page.getByRole('button', { name: 'What payroll-system answered' }).click();
    await page.getByText('What is sent').click();
    await page.locator('.opened pre', { hasText: wanted?.eventId ?? '' }).waitFor();
    const text = JSON.parse((await page.locator('.opened pre').textContent()) ?? '') as unknown;
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('status').filter({ hasText: 'what is answered appears here' }).waitFor();
    expect(seeded.sent.map(({ queue }) => queue)).toEqual(['queues/webhook-payroll-system/url']);
    expect(JSON.parse(seeded.sent[0]?.text ?? '')).toEqual(text);
    expect(text).toMatchObject({ id: wanted?.eventId });
  });
}
