import { expect, test } from 'vitest';
import type { DeliveryLine } from '#console/routes/deliveries.ts';
import { readDeliveries } from '#console/server/deliveries/read-deliveries.ts';
import { examine } from './browser.ts';
import type { Opened } from './opened.ts';

/** The tests of what is sent again from the page of the seeded company. */
export function testSendingAgain(opened: () => Opened): void {
  test('what was given up is sent again at once, after one confirmed how many go where', async () => {
    const { page, seeded, go } = opened();
    const to = 'webhooks/payroll-system';
    const type = 'timesheet.approved';
    const { deliveries } = await readDeliveries({ to }, seeded.context);
    const [another] = deliveries.filter((each) => each.type !== type);
    const wanted = deliveries.filter((each) => each.type === type).slice(0, 12);
    expect([another?.receiver, wanted.length]).toEqual([to, 12]);
    for (const { eventId } of [another as DeliveryLine, ...wanted]) await seeded.giveUp(eventId);
    await go(`/deliveries?to=${to}&outcome=failed`);
    await page.selectOption('select[aria-label=Type]', type);
    await expect.poll(() => page.locator('.delivery').count()).toBe(wanted.length);
    const ask = page.getByRole('button', { name: new RegExp(`^Send ${wanted.length} events? again$`) });
    await ask.click();
    const dialog = page.locator('dialog[open]');
    expect(await dialog.textContent()).toContain('To payroll-system');
    expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(seeded.sent).toEqual([]);
    await ask.click();
    await dialog.getByRole('button', { name: /^Send \d+ events?$/ }).click();
    await page.getByRole('status').filter({ hasText: 'what is answered appears here' }).waitFor();
    expect(seeded.sent.map(({ queue }) => queue)).toEqual(
      wanted.map(() => 'queues/webhook-payroll-system/url'),
    );
    expect(seeded.sent.map(({ text }) => (JSON.parse(text) as { id: string }).id)).toEqual(
      wanted.map(({ eventId }) => eventId).reverse(),
    );
  });
}
