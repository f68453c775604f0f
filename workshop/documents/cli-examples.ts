/** What the commands printed beside `npm start` with the sample company, by command; `...` stands for lines left out. */
export const CLI_EXAMPLES: Readonly<Record<string, string>> = {
  init: `$ npx notifier init --base-url https://acme.workforce.example --token source.token --time-zone Pacific/Auckland
notifier.config.ts is written: 2 pay calendars, 4 departments, pages of 200.
When do periods of Fortnightly close? Say it in the file, and people are reminded.
When do periods of Weekly close? Say it in the file, and people are reminded.
...`,
  start: `$ npx notifier start
a sample company at http://127.0.0.1:36547, 600 times as fast as real time; Ctrl-C to stop
console  http://127.0.0.1:4600/#token=7ffxsBYMDbfigH_ki4ntOc74ZCJuUv1x
2026-11-23 08:08:06  baseline.completed  pay-periods  from all, to all, records 15, startedAt 08:04:30, completedAt 08:08:04
...`,
  doctor: `$ npm run notifier -- doctor --data .data
ok     config                               is valid; the data folder .data has 19 parts
ok     source of main                       the secret workforce-notifier/main can be read
ok     source of main                       GET /timesheets is permitted
ok     main timesheets                      last complete poll 3 min ago; no events waiting
ok     queue webhook-payroll-system         0 waiting
wrong  webhook payroll-system               answered 410 at 2026-11-20T10:53:24.000Z and is disabled
         -> npm run notifier -- enable-webhook payroll-system --data .data
...
24 ok, 0 warnings, 1 wrong`,
  events: `$ npm run notifier -- events --data .data --type 'pay_period.*' --since 12h
2026-11-20           pay_period.closed    9013_1 2026-11-12 to 2026-11-18  closed – → 2026-11-20
2026-11-20 10:53:24  pay_period.reopened  9013_1 2026-11-12 to 2026-11-18  closed 2026-11-20 → –  [late: after close]
2026-11-20           pay_period.closed    9013_1 2026-11-12 to 2026-11-18  closed – → 2026-11-20`,
  explain: `$ npm run notifier -- explain --data .data 100990_1
timesheets 100990_1 of main
...
   3  timesheet.processing_reverted  058c760cb34e68703912e8410d699d19
      seen between 2026-11-20 10:53:58 and 2026-11-20 11:13:42
      late: after approval, processing
      processed: 2026-11-20 09:40:30 -> –
      published to the topic timesheets
      email/payroll-office: delivered 2026-11-20 11:21:06, 1 attempt, in message 87772111235f9cfd24a56dc06efecdfe
      slack/payroll: delivered 2026-11-20 11:20:33, 1 attempt, in message 87772111235f9cfd24a56dc06efecdfe
...
   7  timesheet.approved  6df1c5decbc0a6774a35cdefd768745a
      happened 2026-11-20 11:14:00, seen between 2026-11-20 11:13:34 and 2026-11-20 11:33:50
      approvedHours: – -> 2026-11-20 11:14:00
      published to the topic timesheets
      subscription payroll: in its queue
      webhook/payroll-system: delivered 2026-11-22 05:43:26, 1 attempt
...
now, after 9 events:
      date: 2026-11-13
      hoursToPay: 9.5
      approvedHours: 2026-11-20 11:14:00
...`,
  rehearse: `$ npm run notifier -- rehearse --data .data --since 7d --config edited.config.ts
--- 2026-11-27 12:32  slack/payroll
Pay period Weekly 19-25 Nov closed
Pay period Weekly 19-25 Nov closed: 1,026.5 h, 30 employees, 137 timesheets; 9 not approved, 126 not processed (as of Thu 26 Nov 22:21).
Seen on Fri 27 Nov 2026 at 12:30 (Pacific/Auckland)
...
--- 2026-12-01 15:42  slack/payroll
Devon Example 28, Sample Office, Thu 26 Nov: 7.5 to 8.5 h (+1)
Timesheet of Devon Example 28 (Sample Office) on Thu 26 Nov: finish 16:00 -> 17:00, hours 7.5 h -> 8.5 h, after approval.
[Open]
Seen on Tue 1 Dec 2026 at 15:40 (Pacific/Auckland)

channel  messages  a day  alerts  held  cancelled  waiting
payroll  13        1.9    14      0     0          0

772 stored events, nothing was sent
against the deployed rules:
  payroll: 8 to 13 messages, 2 by rule 1 alone, 11 by rule 2 alone
  payroll-office: gone, 8 messages before`,
  statement: `$ npm run notifier -- statement 9013_1 --data .data
pay period 9013_1 of main: Weekly 2026-11-12 to 2026-11-18, closed 2026-11-20
closed 2026-11-20 10:42:30  976.5 h  30 employees  130 timesheets  4 not approved  4 not processed        adds up with the source
closed 2026-11-20 12:00:54  978.5 h  30 employees  130 timesheets  4 not approved  4 not processed  +2 h  adds up with the source
now                         979.5 h  30 employees  130 timesheets  0 not approved  0 not processed  +1 h
digest 37139bc509a45c2082ae92e7c031b4bd7b495d71a81beb011e1861ed9800511a

department  hours  employees  timesheets  not approved  not processed
-           22     4          5           0             0
201_1       239    8          31          0             0
202_1       278.5  8          36          0             0
203_1       217.5  7          28          0             0
204_1       222.5  7          30          0             0`,
  console: `$ npm run notifier -- console --data .data --open
console  http://127.0.0.1:4600/#token=Vx0bSmxDq1c3rQbW0r5mJ8aJ9d1m2n3P
Ctrl-C to stop`,
  deliveries: `$ npm run notifier -- deliveries --data .data --to webhooks/payroll-system --since 12h
...
2026-11-20 10:30:44  pay_period.closed           9013_1    cb2dff83d7c743cc51d2a7bd3a08ccb2  delivered  2 attempts: 503; 2026-11-22 08:08:53
2026-11-20 11:04:42  timesheet.approval_revoked  101027_1  0749b0051450edf2497e727200e90544  delivered  1 attempt; 2026-11-22 08:09:21
2026-11-20 11:08:45  timesheet.approval_revoked  100990_1  049a2f2435f34d6429ec959df9d4c311  waiting    3 attempts: 503, 503, 503; last 2026-11-22 08:14:47; next 2026-11-22 08:45:55
...

webhooks/payroll-system: 30 delivered, 1 waiting`,
  replay: `$ npm run notifier -- replay --data .data --record 100990_1 --since 3d --to subscriptions/payroll
       1  workforce.timesheet.approval_revoked
       1  workforce.timesheet.approved
2 events to subscriptions/payroll
publish them again? (y/N) y
2 published again`,
  'send-example': `$ npm run notifier -- send-example --data .data timesheet.approved --to webhooks/payroll-system
sent timesheet.approved with the id example-693c2e5978451406d7fbba39 to webhooks/payroll-system`,
  'enable-webhook': `$ npm run notifier -- enable-webhook --data .data payroll-system
payroll-system receives events again; npm run notifier -- deliveries --to webhooks/payroll-system --resend --data .data sends the events it missed`,
  forget: `$ npm run notifier -- forget --data .data --employee 1027_1
erase employee 1027_1 of main (12 timesheets)? This cannot be undone. (y/N) y
forgot employee 1027_1: 12 timesheets, 31 other items of the table, and the name
the next poll publishes record.forgotten for each timesheet
Out of reach, and for you to erase or to wait for:
  events and messages in queues and dead-letter queues: 14 days at most; run this again when they are empty
  ...`,
  listen: `$ npm run notifier -- listen --data .data --forward http://localhost:3921/hook --type 'timesheet.*'
forwarding the events of the data folder .data from 2026-11-20T08:43:21.120Z on to http://localhost:3921/hook
...
204  2026-11-20 08:54:30  timesheet.approved                  101202_1 employee 1027_1 2026-11-19           approvedHours – → 08:54:30
204  2026-11-20 08:54:36  timesheet.approved                  101200_1 employee 1011_1 2026-11-19           approvedHours – → 08:54:36
204  2026-11-20 08:58:04  timesheet.changed                   100871_1 employee 1001_1 2026-11-11           finishTime 2026-11-11 17:00:00 → 2026-11-11 18:00:00, hoursToPay 8 → 9, details altered  [late: after approval, processing, close]`,
  snapshot: `$ npm run notifier -- snapshot --to subscriptions/payroll --since 7d --yes --data .data
       3  workforce.pay_period.snapshot
     280  workforce.timesheet.snapshot
283 records to subscriptions/payroll
283 sent`,
  reconcile: `$ npm run notifier -- reconcile --period 9013_1 --have mine.ndjson --data .data
pay period 9013_1 of main: Weekly 2026-11-12 to 2026-11-18
stored  130 timesheets  976.5 h  digest 623561a01018adf3eb714d92f2644b623df799f60b644850db815a3a878558a3
have    129 timesheets           no digest: hoursToPay is missing where it differs

missing      2    +15 h  100989_1, 101048_1
behind       0
ahead        0
unknown      1           100001_1
other hours  0
equal        128

different: +15 h stored, against what you have, without 1 whose hours are not known
to repair: npm run notifier -- reconcile --period 9013_1 --have mine.ndjson --repair --to 'subscriptions/<name>' --data .data`,
  conform: `$ npm run notifier -- conform http://localhost:3000/hook --secret receiver.secret
ok     an example of workforce.timesheet.created: 204 in 155 ms
ok     an example of workforce.timesheet.changed: 204 in 16 ms
...
ok     a valid event after all that: 204 in 3 ms

88 of 88 checks hold
not checked: whether repeats are dropped and order is kept (10 checks); pass --probe`,
  stage: `$ npm run notifier -- stage late-change --data .data
timesheet 100871_1 of 2026-11-11, 8 to 9 h, after pay period 9011_1 (Weekly, 2026-11-05 to 2026-11-11) was closed; npm start tells of it after its next polls`,
  poll: `$ npm run notifier -- poll --data .data --dry-run
main pay-periods: nothing would be emitted
main timesheets: 1 event would be emitted
  2026-11-20 11:14:00  timesheet.approved  100990_1 employee 1013_1 2026-11-13  approvedHours – → 11:14:00`,
};
