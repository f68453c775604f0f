import { runHistory } from '#test/simulation/history.ts';
const h = await runHistory(Number(process.argv[2]));
console.log(JSON.stringify(h.breadth.reminders), JSON.stringify(h.settings.connection.calendars), h.settings.connection.timeZone, [...h.faults.entries()].map(([k,v])=>k+' '+v).join(', '));
console.log(h.settings.renewal, h.settings.redeployed, h.settings.rosterSize, h.settings.quietFrom && new Date(h.settings.quietFrom).toISOString());
for (const p of h.journal.polls) if (p.feed==='pay-periods') console.log(p.number, new Date(p.startedAt).toISOString(), p.endedAt && new Date(p.endedAt).toISOString(), p.clockAtStart-p.startedAt, p.failure, p.report?.outcome, p.report?.reasons.join('; ').slice(0,200));
for (const { text, at, poll } of h.journal.publications) if (/readiness|pay_period/.test(text)) console.log(new Date(at).toISOString(), poll, JSON.parse(text).type, JSON.parse(text).subject, JSON.parse(text).time, text.slice(text.indexOf('"momentAt'), text.indexOf('"momentAt')+100));
