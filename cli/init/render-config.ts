import { escapeUnprintable } from '#shared/terminal/output.ts';

/** What is asked before a config is written. */
export interface ConfigAnswers {
  readonly baseUrl: string;
  readonly timeZone: string;
  /** Names of the pay calendars. */
  readonly calendars: readonly string[];
  /** Records in a page as the source sends them; null for the default. */
  readonly pageSize: number | null;
  readonly departments: readonly { readonly id: string; readonly name: string }[];
}

/** The package that a config imports. */
export const OPERATORS_PACKAGE = 'workforce-change-notifier-cdk';

export const STACK_NAME = 'workforce-notifier';

/** What a new project begins with, until somebody names a source. */
export const UNANSWERED: ConfigAnswers = {
  baseUrl: 'https://workforce.example.com',
  timeZone: 'Pacific/Auckland',
  calendars: [],
  pageSize: null,
  departments: [],
};

/** Text of a `notifier.config.ts`. */
export function renderConfig(answers: ConfigAnswers): string {
  const { baseUrl, timeZone, pageSize } = answers;
  const lines = [
    `import { defineNotifierConfig } from '${OPERATORS_PACKAGE}/config';`,
    '',
    `// What goes where: node_modules/${OPERATORS_PACKAGE}/docs/deploying.md, Configure.`,
    'export default defineNotifierConfig({',
    `  stackName: ${quote(STACK_NAME)},`,
    '',
    '  // Who hears when something stops? Until an address stands here, nobody does.',
    "  // alarms: { email: 'operations@acme.example' },",
    '',
    '  connections: [',
    '    {',
    "      name: 'main',",
    `      baseUrl: ${quote(baseUrl)},`,
    `      timeZone: ${quote(timeZone)},`,
    '      // An encrypted parameter: a token, or {"clientId": "...", "clientSecret": "..."}.',
    `      secretName: ${quote(`ssm:/secrets/${STACK_NAME}/main`)},`,
    ...(pageSize === null
      ? []
      : [
          '      // Records in a page, as the source sends them.',
          `      requests: { pageSize: ${pageSize} },`,
        ]),
    ...renderCalendars(answers.calendars).map((line) => `      ${line}`),
    '    },',
    '  ],',
    '',
    '  // Polls have 512 MB. Up to 2,000 employees, half of it is enough.',
    '  // poll: { memoryMb: 256 },',
    '',
    ...renderDepartments(answers.departments),
    '  // Who is told? Channels of Slack, Teams and mail, webhooks, queues: docs/messages.md, docs/webhooks.md, docs/subscribing.md.',
    '  // people: {',
    "  //   names: ['employees', 'departments'],",
    "  //   channels: [{ name: 'payroll', kind: 'email', addresses: ['payroll@acme.example'] }],",
    '  // },',
    '  // Where one opens a timesheet, for a link beside it in messages.',
    `  // links: { recordUrl: ${quote(`${baseUrl}/timesheets/{timesheetId}`)} },`,
    '});',
  ];
  return `${lines.join('\n')}\n`;
}

/** Comments: when a period will be closed, the source does not say. */
function renderCalendars(calendars: readonly string[]): string[] {
  const header =
    '// When the periods of a calendar close; people are reminded before. Without it nobody is reminded.';
  const entries = calendars.map((name) => `// { name: ${quote(name)}, closesAt: '+1d 10:00' },`);
  if (entries.length === 0) return [header, "// calendars: [{ name: 'Weekly', closesAt: 'Fri 10:00' }],"];
  return [header, 'calendars: [', ...entries.map((entry) => `  ${entry}`), '],'];
}

function renderDepartments(departments: readonly { readonly id: string; readonly name: string }[]): string[] {
  if (departments.length === 0) return [];
  return [
    '  // Departments, for filters:',
    ...departments.map(({ id, name }) => `  //   ${quote(id)} ${toComment(name)}`),
    '',
  ];
}

/** A text of the source as code, on one line also in a comment. */
function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escapeUnprintable(inner)}'`;
}

/** A name of the source ends no line of the file, and nothing in it reorders or hides what stands there. */
function toComment(text: string): string {
  return escapeUnprintable(text.slice(0, 80));
}
