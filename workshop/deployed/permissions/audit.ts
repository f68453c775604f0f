import { CONSOLE_KIND } from './console-role.ts';
import { nameKind } from './function-kind.ts';
import type { Evidence } from './judge.ts';
import { DONE_BY_AWS, RARE } from './not-on-the-wire.ts';

/** An action that a statement of a function's role grants, and who was seen to use it. */
export interface Use {
  readonly kind: string;
  readonly statement: string;
  readonly action: string;
  /** Null when nobody uses it. */
  readonly by: string | null;
}

export interface AuditOptions {
  readonly stackNames: readonly string[];
  /** Actions that only the emulator asks for. */
  readonly ignored: ReadonlySet<string>;
}

/** Compares what functions did with what their roles grant. Sorted by function and statement. */
export function auditUses(
  { grants, verdicts }: Evidence,
  { stackNames, ignored }: AuditOptions,
): readonly Use[] {
  const used = new Set(
    verdicts
      .filter(({ caller }) => caller.intrudes !== true)
      .flatMap(({ caller, permission, by }) =>
        (by ?? []).map(({ name }) =>
          [nameKind(caller.functionName, stackNames), name, permission.action].join('\t'),
        ),
      ),
  );
  const granted = new Set(
    grants
      .filter(({ caller }) => caller.intrudes !== true)
      .flatMap(({ caller, statements }) =>
        statements.flatMap(({ name, actions }) =>
          actions
            .filter((action) => !ignored.has(action))
            .map((action) => [nameKind(caller.functionName, stackNames), name, action].join('\t')),
        ),
      ),
  );
  return [...granted].sort().map((key) => {
    const [kind = '', statement = '', action = ''] = key.split('\t');
    const use = { kind, statement, action };
    // What documents say comes before what was seen: emulators differ in how much of it they do.
    return { ...use, by: findRare(use) ?? findByAws(use) ?? (used.has(key) ? describeUser(use) : null) };
  });
}

/** Nobody calls KMS itself. */
function describeUser({ kind, action }: Pick<Use, 'kind' | 'action'>): string {
  const user = kind === CONSOLE_KIND ? 'the console' : 'the function';
  return action.startsWith('kms:') ? `the service, for a request of ${user}` : user;
}

type Granted = Pick<Use, 'kind' | 'statement' | 'action'>;

/** Whether it was seen or not: another run may differ. */
function findRare({ kind, statement, action }: Granted): string | null {
  const rare = RARE.find(
    (each) => each.kind === kind && each.statement === statement && each.actions.includes(action),
  );
  return rare === undefined ? null : `the function, not in every run: ${rare.reason}`;
}

function findByAws({ statement, action }: Granted): string | null {
  const byAws = DONE_BY_AWS.find(
    (each) => each.action === action && (each.statement === undefined || each.statement === statement),
  );
  return byAws === undefined ? null : `[${byAws.by}](${byAws.document})`;
}

/** Throws when something was refused that should not be, or is granted and used by nobody. */
export function checkAudit(uses: readonly Use[], evidence: Evidence): string {
  const refused = evidence.verdicts.filter(({ caller, by }) => caller.intrudes !== true && by === null);
  const faults = [
    ...refused.map(
      ({ caller, permission, because }) =>
        `${caller.functionName} was refused ${permission.action} on ${permission.resource} (${JSON.stringify(permission.context)}): ${because}`,
    ),
    ...evidence.disagreements.map(
      ({ request, expected, answer }) =>
        `${request}: expected to be ${expected}, the emulator answered ${answer}`,
    ),
    ...uses
      .filter(({ by }) => by === null)
      .map(({ kind, statement, action }) => `${kind} may ${action} by ${statement} and never does`),
  ];
  if (faults.length > 0) throw new Error(`${faults.length} faults\n${[...new Set(faults)].join('\n')}`);
  const seen = uses.filter(({ by }) => by?.endsWith('the function') === true).length;
  return `${uses.length} actions granted, ${seen} of them seen, the others explained`;
}

/** The table of `docs/permissions.md`. */
export function renderUses(uses: readonly Use[]): string {
  const kinds = [...Map.groupBy(uses, ({ kind }) => kind)];
  return kinds
    .map(([kind, rows]) =>
      [
        `## ${kind}`,
        '',
        '| Statement | Action | Used by |',
        '|---|---|---|',
        ...rows.map(
          ({ statement, action, by }) => `| ${describeStatement(statement)} | \`${action}\` | ${by} |`,
        ),
        '',
      ].join('\n'),
    )
    .join('\n');
}

/** A statement of the CDK has no name. */
function describeStatement(name: string): string {
  return name.includes(':') ? 'by the CDK' : `\`${name}\``;
}
