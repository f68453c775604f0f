import { readFileSync } from 'node:fs';
import { CONFIGS, permissionsOf, type Statement, synthesize } from '#test/infra/synthesized.ts';
import { isOfCode } from '#workshop/deployed/permissions.ts';

/** Where the role of each kind of function is in the template. */
const KINDS: readonly (readonly [kind: string, path: RegExp])[] = [
  ['check-deliveries', /^DeliveryCheck\/Role$/],
  ['collect-alerts', /^People\/Collect\/Role$/],
  ['deliver-chat', /^People\/(?:Slack|Teams)-[^/]+\/Role$/],
  ['deliver-webhook', /^Webhook-[^/]+\/Role$/],
  ['poll', /^Poll\/Role$/],
  ['release-alerts', /^People\/Release\/Role$/],
];

const BEGIN = '<!-- permissions: begin -->';
const END = '<!-- permissions: end -->';

/** Fills the table in the text of `docs/security.md`. */
export function fillPermissions(page: string): string {
  const [before = '', after = ''] = [page.split(BEGIN)[0], page.split(END)[1]];
  return `${before}${BEGIN}\n\n${renderTable()}\n${END}${after}`;
}

/** A row a role, a line a statement: with secrets in both places, and with a network and keys of the company's own. */
function renderTable(): string {
  const roles = [CONFIGS.everything, CONFIGS['own-key']].flatMap((config) =>
    synthesize(config).ofType('AWS::IAM::Role'),
  );
  const rows = KINDS.map(([kind, path]) => {
    const own = roles.filter((role) => path.test(role.path));
    return [kind, own.flatMap(permissionsOf)] as const;
  });
  const { Statement: console } = JSON.parse(readFileSync('examples/console-policy.json', 'utf8')) as {
    readonly Statement: readonly Statement[];
  };
  const sorted = [...rows, ['console', console] as const].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.map(([kind, statements]) => {
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    const byAws = allowed.filter((statement) => !isOfCode(statement));
    return `| \`${kind}\` | ${renderStatements(allowed.filter(isOfCode))} | ${renderStatements(byAws)} |`;
  });
  return ['| Role | Used by itself | Used by AWS |', '|---|---|---|', ...lines, ''].join('\n');
}

/** Those of the CDK, which have no name, at the end. */
function renderStatements(statements: readonly Statement[]): string {
  const named = [...Map.groupBy(statements, ({ Sid = '~' }) => Sid)].sort(([a], [b]) => (a < b ? -1 : 1));
  return named
    .map(([sid, all]) => {
      const actions = [...new Set(all.flatMap(({ Action }) => Action))].sort();
      return `${sid === '~' ? 'by the CDK' : `\`${sid}\``}: ${actions.join(' ')}`;
    })
    .join('<br>');
}
