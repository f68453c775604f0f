/** Writes fortnight.md beside it: `npm run fortnight`. Takes a minute; fails when an account of a pay period is wrong. */
import { writeFileSync } from 'node:fs';
import { checkAccounts } from '#test/fortnight/check-accounts.ts';
import { runFortnight } from '#test/fortnight/run-fortnight.ts';
import { renderPage } from './page/page.ts';

const DAYS = 14;

const fortnight = await runFortnight(DAYS);
const { accounts, wrong } = checkAccounts(fortnight);
if (wrong.length > 0) throw new Error(`not true of the company:\n${wrong.join('\n')}`);
writeFileSync('test/fortnight/fortnight.md', renderPage(fortnight.told, { accounts }));
