import { describe, expect, test } from 'vitest';
import { BASE, faultsOf } from './base-config.ts';

/** A line a refusal: `PATH = VALUE -> what is said`, of the same path if that begins with `:`, `[` or `.`; `...` is more of it. */

const IDS = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => index));
/** Header, payload and signature of RFC 7515, appendix A.1, cut short. */
const JWT = 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.dBjftJeZ4CVP';

const NO_HTTPS =
  ': baseUrl is http, which shows the token to the network; use https, or set allowHttp to true';
const IN_SECRET = ': secretName is the name of a secret; put the token into that secret, and its name here';
const PARAMETER =
  ': a parameter is ssm:/secrets/ and up to 14 levels of letters, digits and _.-, such as ssm:/secrets/workforce-notifier/main';
const DUE =
  ": closesAt is a weekday and a time such as 'Fri 10:00', or days after the last day of a period and a time such as '+2d 10:00'";
const CHAT_SECRET =
  ': secretName is the name of a secret; put the address or token into that secret, and its name here';
const URL_FORM = ': url is an https address, such as https://payroll.acme.example/hooks/workforce';
const NOT_PUBLIC = ': the host of url is not public; use another, or set allow.privateAddresses to true';
const RECORD_URL = ': recordUrl is an https address such as ...';
const CONSOLE_URL = ': consoleUrl is the address of a console without path...';
const SECRET_NAME =
  'a secret name is letters, digits and /_+=.@-, such as workforce-notifier/main, or that of a parameter, such as ssm:/secrets/workforce-notifier/main; the secret itself does not belong here';

describe('a config is refused', () => {
  refuse([
    'connections = [] -> : name at least one connection',
    'connections = nothing -> : is missing; give a list, such as [{ name: "main", baseUrl: "https://acme.workforce.example" }]',
    'connections = 5 -> : give a list, such as [{ name: "main", baseUrl: "https://acme.workforce.example" }], got 5',
    'connections = [7] -> [0]: give an object, such as { name: "main", baseUrl: "https://acme.workforce.example" }, got 7',
    'poll = [] -> : give an object, such as { directory: false, memoryMb: 512 }, got a list',
    'poll.memoryMb = 0 -> : give at least 256, got 0',
    'poll.memoryMb = "256" -> : give a number, such as 256, got "256"',
    'poll.memoryMb = 256.5 -> : give a whole number, such as 256, got 256.5',
    'poll = {"memoryMB":1,"Directory":true,"colour":1} -> : unknown setting "memoryMB", "Directory", "colour"; did you mean memoryMb, directory?',
    'stackName = "our notifier" -> : a stack name is letters, digits and -, begins with a letter, at most 128 long, got "our notifier"',
    'stackName = 9 -> : give a text: a stack name is letters, digits and -, begins with a letter, at most 128 long, got 9',
    'stackNames = "x" -> the config: unknown setting "stackNames"; did you mean stackName?',
    'oauth = "x" -> the config: unknown setting "oauth"; remove it or correct its name',
    'vpc = {} -> the config: unknown setting "vpc"; a network is given to the stack, as `network` in app.ts: docs/in-your-company.md#a-network',
    'alarms.pagerDuty = "x" -> alarms: unknown setting "pagerDuty"; whoever is on call listens to a topic of SNS: give its ARN as alarms.topicArn',
    'alarms.email = "nobody" -> : email is one address, such as operations@acme.example, got "nobody"',
    'alarms = {"email":"operations@acme.example","topicArn":"arn:aws:sns:ap-southeast-2:123456789012:on-call"} -> .email: alarms go to topicArn, so this address would get none; leave one of the two out, or subscribe the address to that topic, got "***@acme.example"',
    'alarms.email = "PAYROLL@acme.example" -> : this address is in a channel already, and SNS gives an address one subscription to a topic; use another one, such as operations+alarms@acme.example, got "***@acme.example"',
    'links = ["a"] -> : give an object, such as { recordUrl: "https://acme.example/timesheets/{timesheetId}", consoleUrl: "http://127.0.0.1:4600" }, got a list',
    `links.recordUrl = "http://time.acme.example/{timesheetId}" -> ${RECORD_URL}`,
    `links.recordUrl = "https://time.acme.example/" -> ${RECORD_URL}`,
    `links.recordUrl = "https://{timesheetId}.acme.example/" -> ${RECORD_URL}`,
    `links.recordUrl = "https://{timesheetId}/" -> ${RECORD_URL}`,
    `links.recordUrl = "https://time.acme.example/{timesheetId}/{name}" -> ${RECORD_URL}`,
    `links.recordUrl = "https://time.acme.example/{timesheetId} now" -> ${RECORD_URL}`,
    `links.recordUrl = "javascript:alert({timesheetId})" -> ${RECORD_URL}`,
    `links.consoleUrl = "127.0.0.1:4600" -> ${CONSOLE_URL}`,
    `links.consoleUrl = "http://127.0.0.1:4600/" -> ${CONSOLE_URL}`,
    `links.consoleUrl = "http://a@b" -> ${CONSOLE_URL}`,
    `links.consoleUrl = "https://a/?token=x" -> ${CONSOLE_URL}`,
    `links.consoleUrl = "javascript:alert(1)" -> ${CONSOLE_URL}`,
  ]);
});

describe('a connection is refused', () => {
  refuse([
    'connections[0].timeZone = "Auckland" -> : unknown time zone "Auckland"; use an IANA name such as Pacific/Auckland',
    'connections[0].timeZone = nothing -> : is missing; give a text: use an IANA name such as Pacific/Auckland',
    'connections[0].name = "Main Office" -> : a connection name is such as main: a-z, 0-9 and -, begins with a letter, at most 31 long, got "Main Office"',
    'connections[0].name = "alerts" -> : a connection cannot be called alerts, deliveries, webhook: the table uses these names; use another one, got "alerts"',
    'connections[1].name = "main" -> : the name "main" is taken by an entry before it; use a unique name',
    'connections[0].windows = {} -> connections[0]: unknown setting "windows"; did you mean window?',
    `connections[0].baseUrl = "http://acme.workforce.example" -> ${NO_HTTPS}, got "http://acme.workforce.example"`,
    `connections[0].baseUrl = "http://127.0.0.1.example" -> ${NO_HTTPS}, got "http://127.0.0.1.example"`,
    `connections[0].baseUrl = "http://localhost.example" -> ${NO_HTTPS}, got "http://localhost.example"`,
    'connections[1].heartbeat = {"secretName":"hc/main"} -> .secretName: a connection before it sends to the same address, which would hide that one of them is silent; use an address for each',
    'connections[0].heartbeat = {"secretName":"https://hc-ping.com/3f1c"} -> .secretName: secretName is the name of a secret; put the address into that secret, and its name here',
    `connections[0].calendars = [{"name":"Weekly","closesAt":"Friday 10:00"}] -> [0].closesAt${DUE}, got "Friday 10:00"`,
    `connections[0].calendars = [{"name":"Weekly","closesAt":"+0d 10:00"}] -> [0].closesAt${DUE}, got "+0d 10:00"`,
    'connections[0].calendars = [{"name":"Weekly"}] -> [0].closesAt: is missing; give a text...',
    'connections[0].calendars[0].remindBefore = ["1d","5m"] -> [1]: a reminder is a time before the deadline such as \'1d\', \'4h\' or \'30m\', from 10m to 31d, got "5m"',
    'connections[0].calendars[0].remindBefore = ["1h","60m"] -> [1]: this reminder is in the list already; name it once, got "60m"',
    'connections[0].calendars[1] = {"name":"Weekly","closesAt":"Thu 10:00"} -> .name: the calendar "Weekly" has an entry before it; give each calendar one',
  ]);
});

describe('a secret in the wrong place is not shown', () => {
  refuse([
    'connections[0].token = "canary" -> connections[0]: unknown setting "token"; remove it or correct its name',
    `connections[0].secretName = "my secret" -> : ${SECRET_NAME}`,
    `connections[0].secretName = {"token":"canary"} -> : give a text: ${SECRET_NAME}`,
    `connections[0].secretName = "{\\"token\\":\\"canary\\"}" -> ${IN_SECRET}`,
    `connections[0].secretName = "${JWT}" -> ${IN_SECRET}`,
    `connections[0].secretName = "${JWT.replace(/[^.]+$/, '')}" -> ${IN_SECRET}`,
    `connections[0].secretName = "eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn" -> ${IN_SECRET}`,
    `connections[0].secretName = "ssm:canary" -> ${PARAMETER}`,
    // The name of a parameter that the notifier does not take is one.
    `connections[0].secretName = "ssm:/prod/main" -> ${PARAMETER}, got "ssm:/prod/main"`,
    `connections[0].secretName = "ssm:/secrets" -> ${PARAMETER}, got "ssm:/secrets"`,
    `connections[0].secretName = "ssm:/secrets/" -> ${PARAMETER}, got "ssm:/secrets/"`,
    `connections[0].secretName = "ssm:/secrets//main" -> ${PARAMETER}, got "ssm:/secrets//main"`,
    `connections[0].secretName = "ssm:/secrets${'/a'.repeat(15)}" -> ${PARAMETER}, got "ssm:/secrets${'/a'.repeat(15)}"`,
    'connections[0].baseUrl = "https://me:canary@acme.example" -> : baseUrl must not contain a user name or password; put them into the secret, got "https://***@acme.example"',
    'connections[0].baseUrl = "ftp://acme.example?token=canary" -> : baseUrl is an http or https address, such as https://acme.workforce.example, got "ftp://acme.example?***"',
    'webhooks[0].secretName = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" -> : secretName is the name of a secret; put the signing secret into that secret, and its name here',
    'webhooks[0].headers = {"authorization":"x"} -> : headers go into the secret, beside the signing secret...',
    `people.channels[0].secretName = "https://hooks.slack.example/services/T/B/canary" -> ${CHAT_SECRET}`,
    `people.channels[0].secretName = "xoxb-1111-canary" -> ${CHAT_SECRET}`,
    'people.channels[2].secretName = "https://acme.logic.azure.com/x" -> : secretName is the name of a secret; put the address into that secret, and its name here',
    'people.channels[0].url = "https://canary" -> people.channels[0]: unknown setting "url"; remove it or correct its name',
  ]);
});

describe('who gets events is refused', () => {
  refuse([
    'queues[0].topics = ["timesheet"] -> [0]: give one of "timesheets", "pay-periods", "directory", "operations"; did you mean "timesheets"?, got "timesheet"',
    'queues[0].filter.type = ["timesheet.clock*"] -> [0]: each type is named, "timesheet.clock*" is none: workforce.timesheet.clocked_in, workforce.timesheet.clock_in_corrected, workforce.timesheet.clock_in_removed and 5 more; docs/events.md lists them all',
    'queues[0].filter.type = ["timesheet.approved"] -> [0]: unknown event type "timesheet.approved"; use workforce.timesheet.approved',
    'queues[0].filter.type = ["approved!"] -> [0]: unknown event type "approved!"; docs/events.md lists them all',
    'queues[0].filter.type = ["workforce.pay_period.closed"] -> [0]: "workforce.pay_period.closed" is published to the topic pay-periods; add it to topics',
    'queues[0].filter.connection = ["west"] -> [0]: there is no connection "west"; use one of main, north',
    'queues[0].filter.departmentId = [{}] -> [0]: an id is a text or a whole number',
    `queues[0].filter = {"organisationId":${IDS(4)},"departmentId":${IDS(10)}} -> : 160 combinations of values, and SNS allows 150; use fewer values, or several entries`,
    `queues[0].filter.departmentId = ${IDS(76)} -> queues[0].filter: 152 combinations of values, and SNS allows 150; use fewer values, or several entries`,
    'queues[0].queueArn = "arn:aws:sns:eu-west-1:111122223333:topic" -> : queueArn is the ARN of a standard queue, such as arn:aws:sqs:ap-southeast-2:123456789012:payroll, got "arn:aws:sns:eu-west-1:111122223333:topic"',
    `webhooks[0].url = "payroll.acme.example" -> ${URL_FORM}, got "payroll.acme.example"`,
    `webhooks[0].url = "ftp://payroll.acme.example" -> ${URL_FORM}, got "ftp://payroll.acme.example"`,
    'webhooks[0].url = "http://payroll.acme.example" -> : url is http; use https, or set allow.http to true, got "http://payroll.acme.example"',
    'webhooks[0].url = "https://me:pass@payroll.acme.example" -> : url contains a user or a password; requests are signed, so leave it out, got "https://***@payroll.acme.example"',
    'webhooks[0].url = "https://payroll.acme.example./" -> : the host of url ends with a dot; leave the dot out, got "https://payroll.acme.example./"',
    `webhooks[0].url = "https://localhost/" -> ${NOT_PUBLIC}, got "https://localhost/"`,
    `webhooks[0].url = "https://10.0.0.5/" -> ${NOT_PUBLIC}, got "https://10.0.0.5/"`,
    `webhooks[0].url = "https://2130706433/" -> ${NOT_PUBLIC}, got "https://2130706433/"`,
    `webhooks[0].url = "https://[::ffff:10.0.0.5]/" -> ${NOT_PUBLIC}, got "https://[::ffff:10.0.0.5]/"`,
    `webhooks[0].url = "https://hooks.payroll.internal/" -> ${NOT_PUBLIC}, got "https://hooks.payroll.internal/"`,
    'webhooks[0].topics = [] -> : is an empty list; name at least one',
    'webhooks[0].topics = ["alerts"] -> [0]: give one of "timesheets", "pay-periods", "directory", "operations", got "alerts"',
    'webhooks[0].filter.type = ["workforce.pay_period.closed"] -> [0]: "workforce.pay_period.closed" is published to the topic pay-periods; add it to topics',
    'webhooks[0].filter.connection = ["acme"] -> [0]: there is no connection "acme"; use one of main, north',
    'webhooks[0].filter.late = "yes" -> : give true or false, such as true, got "yes"',
    `webhooks[0].filter.departmentId = ${IDS(151)} -> webhooks[0].filter: 151 combinations of values, and SNS allows 150; use fewer values, or several entries`,
    'webhooks[0].retries = 3 -> webhooks[0]: unknown setting "retries"; remove it or correct its name',
    'webhooks[1].name = "hook" -> : the name "hook" is taken by an entry before it; use a unique name',
    'webhooks[0].name = "payroll" -> : the name "payroll" is taken by a queue; use a name that is unique among both',
  ]);
});

describe('a channel is refused', () => {
  refuse([
    'people.channels = {} -> : give a list, such as [{ name: "payroll", tells: ["approvals"] }], got an object',
    'people.names = ["salaries"] -> [0]: give one of "employees", "departments", "managers", got "salaries"',
    'people.channels[0].kind = "sms" -> : the kind of a channel is slack, teams or email, got "sms"',
    'people.channels[0].name = "Pay Roll" -> : a channel name is such as payroll: a-z, 0-9 and -, begins with a letter, at most 31 long, got "Pay Roll"',
    'people.channels[1].name = "payroll" -> : the name "payroll" is taken by an entry before it; use a unique name',
    'people.channels[0].tells = ["payday"] -> [0]: give one of "approvals", "closings", "late-changes", "missing-clockings", "troubles", got "payday"',
    'people.channels[0].departments = [null] -> [0]: an id is a text or a whole number, got null',
    'people.channels[0].quiethours = {} -> people.channels[0]: unknown setting "quiethours"; did you mean quietHours?',
    'people.channels[0].quietHours = {"from":"20:00","to":"20:00"} -> .to: from and to are the same time; use two different ones, got "20:00"',
    'people.channels[0].quietHours = {"from":"24:00","to":"07:00"} -> .from: a time of day is HH:MM, from 00:00 to 23:59, got "24:00"',
    'people.channels[0].dailySummary = {"at":"8:00"} -> .at: a time of day is HH:MM, from 00:00 to 23:59, got "8:00"',
    'people.channels[3].dailySummary = {"at":"06:30"} -> .at: is in the quiet hours of this channel, which would hold the summary; use 07:00 or later, got "06:30"',
    'people.channels[1].addresses = ["a@acme.example","A@acme.example"] -> [1]: this address is in the list already; name it once, got "***@acme.example"',
    'people.channels[1].addresses = ["payroll"] -> [0]: an address such as payroll@acme.example, got "payroll"',
    'people.channels[0].channelId = "#payroll" -> : the id of a Slack channel is such as C0123456789; Slack shows it below the details of the channel, got "#payroll"',
    'people.channels[2].channelId = "C0123456789" -> people.channels[2]: unknown setting "channelId"; remove it or correct its name',
  ]);
});

test('all that is wrong is said at once, a line each, with the name of the file', () => {
  const config = { ...BASE, stackName: 'our notifier', people: { names: ['salaries'] } };
  expect(faultsOf(config, '')).toEqual([
    'notifier.config.ts: stackName: a stack name is letters, digits and -, begins with a letter, at most 128 long, got "our notifier"',
    'notifier.config.ts: people.names[0]: give one of "employees", "departments", "managers", got "salaries"',
  ]);
});

function refuse(rows: readonly string[]): void {
  test.each(rows)('%s', (row) => {
    const [, path = '', value = '', said = ''] = /^(\S+) = (.*?) -> (.*)$/.exec(row) ?? [];
    const config = structuredClone(BASE);
    const before = faultsOf(config);
    set(config, path, value === 'nothing' ? undefined : JSON.parse(value));
    const line = /^[:.[]/.test(said) ? path + said : said;
    const [fault = '', ...others] = faultsOf(config);
    expect([before, others]).toEqual([[], []]);
    expect(line.endsWith('...') ? `${fault.slice(0, line.length - 3)}...` : fault).toBe(line);
  });
}

/** Sets the member of a config at a path such as `queues[0].filter.type`. */
function set(config: object, path: string, value: unknown): void {
  const names = path.split(/[.[\]]+/).filter((name) => name !== '');
  const last = names.pop() ?? '';
  let at = config as Record<string, unknown>;
  for (const name of names) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  at[last] = value;
}
