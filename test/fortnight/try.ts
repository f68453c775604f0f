import { runFortnight } from '#test/fortnight/run-fortnight.ts';
import { buildSlackPayload } from '#shared/core/alerts/slack-blocks.ts';
import { renderSlackMessage } from '#local/receivers/slack-message.ts';
const t = Date.now();
const { told, events } = await runFortnight(Number(process.argv[2] ?? 2));
console.log(told.length, events, Date.now() - t, 'ms');
for (const { channel, message, at } of told) {
  if (channel === 'payroll-office') continue;
  console.log(`\n== ${channel} ${new Date(at).toLocaleString('en-NZ', { timeZone: 'Pacific/Auckland' })}`);
  for (const { text } of renderSlackMessage(buildSlackPayload(message)) ?? []) console.log('   ' + text);
}
