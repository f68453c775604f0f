/**
 * What the commands print with the sample company, by command; `...` stands for lines left out. Tests run them again and
 * compare: test/docs/cli-samples.test.ts, and for init and conform the tests of these commands.
 */
export const CLI_EXAMPLES: Readonly<Record<string, string>> = {
  init: `$ npx notifier init --base-url https://acme.workforce.example --token source.token --time-zone Pacific/Auckland
notifier.config.ts is written: 2 pay calendars, 4 departments, pages of 200.
When do periods of Fortnightly close? Say it in the file, and people are reminded.
When do periods of Weekly close? Say it in the file, and people are reminded.
...`,
  start: `$ npx notifier start
a sample company at http://127.0.0.1:36547, 600 times as fast as real time; Ctrl-C to stop
console  http://127.0.0.1:4600/#token=7ffxsBYMDbfigH_ki4ntOc74ZCJuUv1x
2026-11-23 08:51:09  baseline.completed                   pay-periods   from all, to all, records 15, startedAt 08:47:58, completedAt 08:51:06
...`,
  doctor: `$ npm run notifier -- doctor --data .data
ok     config                                  is valid; the data folder .data has 19 parts
ok     source of main                          the secret workforce-notifier/main can be read
...
ok     source of main                          GET /timesheets is permitted
...
ok     main timesheets                         last complete poll 10 min ago; no events waiting
...
ok     queue webhook-payroll-system            37 waiting
...
wrong  webhook payroll-system                  answered 410 at 2026-03-06T02:00:01.515Z and is disabled
         -> npm run notifier -- enable-webhook payroll-system --data .data

23 ok, 0 warnings, 2 wrong`,
  events: `$ npm run notifier -- events --data .data --type 'pay_period.*' --since 12h
2026-03-06 13:00:00  pay_period.closed                    9013_1        closed – → 2026-03-06  2026-02-26 to 2026-03-04
2026-03-06 13:30:00  pay_period.reopened                  9013_1        closed 2026-03-06 → –  [late: after close]  2026-02-26 to 2026-03-04
2026-03-06 13:30:00  pay_period.created                   9019_1        calendar Weekly, payRollProvider Sample Payroll  2026-03-19 to 2026-03-25
2026-03-06 13:30:00  pay_period.created                   9020_1        calendar Fortnightly (draft), payRollProvider Sample Payroll  2026-03-19 to 2026-04-01
2026-03-06 15:00:00  pay_period.removed                   9020_1        calendar Fortnightly (draft), payRollProvider Sample Payroll  2026-03-19 to 2026-04-01`,
  explain: `$ npm run notifier -- explain --data .data 101026_1
timesheets 101026_1 of main
...
   3  timesheet.processing_reverted  8b7c683c989de707d4ae74d9931f6c61
...
   5  timesheet.approved  622e60fc48d88754f76090081aae930f
...
now, after 7 events:
      date: 2026-02-27
      employeeId: 1014_1
...`,
  rehearse: `$ npm run notifier -- rehearse --data .data --since 7d --config edited.config.ts
--- 2026-03-06 13:02  slack/payroll
Weekly 26 Feb - 4 Mar closed: 4 not approved, 4 not processed (as of 12:00)
Closed: 988 h, 30 employees, 132 timesheets; 4 not approved (employee 1021_1 Fri 27 Feb 7.5 h, employee 1009_1 Sat 28 Feb 7.5 h, employee 1028_1 Thu 26 Feb 7.5 h, employee 1015_1 Sun 1 Mar 3 h), 4 not processed; adds up with the workforce service (as of 12:00).
Seen on Fri 6 Mar 2026 at 13:00 (Pacific/Auckland)

--- 2026-03-06 13:32  slack/payroll
Hold the pay file of Weekly 26 Feb - 4 Mar: it was reopened
Reopened between 13:00 and 13:30; it was closed on Fri 6 Mar.
Seen on Fri 6 Mar 2026 at 13:30 (Pacific/Auckland)

channel  messages  a day  alerts  held  cancelled  waiting
payroll  2         1.7    2       0     0          0

317 stored events, nothing was sent
against the deployed rules:
  payroll: 6 to 2 messages, 1 by rule 1 alone, 1 by rule 2 alone
  payroll-office: gone, 6 messages before`,
  statement: `$ npm run notifier -- statement 9013_1 --data .data
pay period 9013_1 of main: Weekly 2026-02-26 to 2026-03-04, open
closed 2026-03-06 13:00:00  988 h  30 employees  132 timesheets  4 not approved  4 not processed        adds up with the source
now                         989 h  30 employees  132 timesheets  0 not approved  0 not processed  +1 h
digest ad60ee06c2947aa322f55de9dcd5ccf291036080e80981fd127401f74821a723

department     hours  employees  timesheets  not approved  not processed
no department  25     4          6           0             0
201_1          269.5  8          36          0             0
202_1          251.5  8          33          0             0
203_1          218.5  7          28          0             0
204_1          224.5  7          29          0             0`,
  console: `$ npm run notifier -- console --data .data
console  http://127.0.0.1:4600/#token=Vx0bSmxDq1c3rQbW0r5mJ8aJ9d1m2n3P
Ctrl-C to stop`,
  deliveries: `$ npm run notifier -- deliveries --data .data --to webhooks/payroll-system --since 4h
...
2026-03-06 13:00:00  pay_period.closed    9013_1    04070a962d64ba102ae23fe042519921  delivered  2 attempts: 503; 2026-03-06 15:00:01
2026-03-06 13:30:00  pay_period.reopened  9013_1    ed89268f7ee71cb303f6122e2a804c0c  delivered  1 attempt; 2026-03-06 15:00:01
...
2026-03-06 15:00:00  timesheet.approved   101406_1  d417d2355dc6f6aeb493d7bfdb0902c2  waiting    3 attempts: 503, 503, 503; last 2026-03-06 15:00:01; next 2026-03-06 15:30:01

webhooks/payroll-system: 13 delivered, 1 waiting`,
  replay: `$ npm run notifier -- replay --data .data --record 101026_1 --since 3d --to subscriptions/payroll --yes
       1  workforce.timesheet.changed
       1  workforce.timesheet.approved
2 events to subscriptions/payroll
2 published again`,
  'send-example': `$ npm run notifier -- send-example --data .data timesheet.approved --to webhooks/payroll-system
sent timesheet.approved with the id example-d9d2ef6083bb21ea1b10ba6f to webhooks/payroll-system`,
  'enable-webhook': `$ npm run notifier -- enable-webhook --data .data payroll-system
payroll-system receives events again; npm run notifier -- deliveries --to webhooks/payroll-system --resend --data .data sends the events it missed`,
  forget: `$ npm run notifier -- forget --data .data --employee 1027_1 --yes
forgot employee 1027_1: 8 timesheets, 5 other items of the table
the next poll publishes record.forgotten for each timesheet
Out of reach, and for you to erase or to wait for:
  events and messages in queues and dead-letter queues: 14 days at most; run this again when they are empty
...`,
  listen: `$ npm run notifier -- listen --data .data --forward http://localhost:3921/hook --type 'timesheet.*' --since 4h --once
forwarding the events of the data folder .data from 2026-03-05T22:10:00.048Z on to http://localhost:3921/hook
...
204  2026-03-06 11:30:01  timesheet.changed                    101026_1      finishTime 2026-02-27 16:00:00 → 2026-02-27 16:30:00, hoursToPay 7.5 → 8, details altered  [late: after approval]  [one of several steps]  employee 1014_1, 2026-02-27
204  2026-03-06 11:30:01  timesheet.approved                   101026_1      approvedHours 2026-02-27 16:53:36 → 11:10:00  [one of several steps]  employee 1014_1, 2026-02-27
204  2026-03-06 11:30:01  timesheet.payroll_approved           101026_1      approvedPayroll PAYROLL-2026-03-06-1064_1 → PAYROLL-2026-03-06-1144_1  [one of several steps]  employee 1014_1, 2026-02-27
204  2026-03-06 11:30:01  timesheet.processed                  101026_1      processed – → 11:15:00  [one of several steps]  employee 1014_1, 2026-02-27
...
204  2026-03-06 13:30:01  timesheet.changed                    101015_1      finishTime 2026-03-04 17:00:00 → 2026-03-04 18:00:00, hoursToPay 8 → 9, details altered  [late: after approval, processing]  employee 1001_1, 2026-03-04
...`,
  snapshot: `$ npm run notifier -- snapshot --to subscriptions/payroll --since 9d --yes --data .data
       5  workforce.pay_period.snapshot
     241  workforce.timesheet.snapshot
246 records to subscriptions/payroll
246 sent`,
  reconcile: `$ npm run notifier -- reconcile --period 9013_1 --have mine.ndjson --data .data
pay period 9013_1 of main: Weekly 2026-02-26 to 2026-03-04
stored  132 timesheets  989 h  digest ad60ee06c2947aa322f55de9dcd5ccf291036080e80981fd127401f74821a723
have    240 timesheets         no digest, since hoursToPay is missing where it differs

missing      2    +16.5 h  101015_1, 101054_1
behind       0
ahead        0
unknown      1             100001_1
other hours  0
equal        130

different: +16.5 h stored, against what you have, without 1 whose hours are not known
109 of other periods, not compared
to repair: npm run notifier -- reconcile --period 9013_1 --have mine.ndjson --repair --to 'subscriptions/<name>' --data .data`,
  conform: `$ npm run notifier -- conform http://localhost:3000/hook --secret receiver.secret
ok     an example of workforce.timesheet.created: 204 in 155 ms
ok     an example of workforce.timesheet.changed: 204 in 16 ms
...
ok     a valid event after all that: 204 in 3 ms

89 of 89 checks hold
not checked: whether repeats are dropped and order is kept (10 checks); pass --probe`,
  stage: `$ npm run notifier -- stage late-change --data .data
timesheet 100872_1 of 2026-02-25, 7.5 to 8.5 h, after pay period 9011_1 (Weekly, 2026-02-19 to 2026-02-25) was closed; npm start tells of it after its next polls`,
  poll: `$ npm run notifier -- poll --data .data --dry-run
main pay-periods: nothing would be emitted
main timesheets: 1 event would be emitted
  2026-03-06 15:10:00  timesheet.changed                    101165_1      finishTime 2026-03-05 16:00:00 → 2026-03-05 17:30:00, hoursToPay 7.5 → 9, details altered  [late: after approval]  employee 1014_1, 2026-03-05`,
};
