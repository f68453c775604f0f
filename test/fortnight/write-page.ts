/** Writes fortnight.md beside it: `npm run fortnight`. Takes a minute; fails when a figure of a message is wrong. */
import { writeFileSync } from 'node:fs';
import { checkFigures } from '#test/fortnight/figures/check-message.ts';
import { runFortnight } from '#test/fortnight/run-fortnight.ts';
import { renderPage } from './page/page.ts';

const DAYS = 14;

const fortnight = await runFortnight(DAYS);
const { figures, wrong } = checkFigures(fortnight);
if (wrong.length > 0) throw new Error(`not true of the company:\n${wrong.join('\n')}`);
writeFileSync('test/fortnight/fortnight.md', renderPage(fortnight.told, { figures }));
