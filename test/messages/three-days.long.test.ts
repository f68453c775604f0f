import { expect, test } from 'vitest';
import { liveDays } from './live-days.ts';
import { renderPage } from './page.ts';

test('what people are told in three days is as the page says', async () => {
  const told = await liveDays(3);
  expect(told.length).toBeGreaterThan(40);
  await expect(renderPage(told)).toMatchFileSnapshot('three-days.md');
});
