import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '#shared/operator/target.ts';
import type { Interest } from '#shared/systems/filter.ts';

type ReceiverKind = 'webhook' | 'queue' | 'slack' | 'teams';

/** One receiver, with the queue its events go through. */
export interface Receiver {
  readonly kind: ReceiverKind;
  readonly name: string;
  /** As `--to` names it, such as `webhooks/payroll-system`. */
  readonly label: string;
  readonly queueUrl: string;
  /** What it subscribes to; null for a channel. */
  readonly interest: Interest | null;
}

/** The kinds of receivers that get events. */
export const SYSTEMS: readonly ReceiverKind[] = ['webhook', 'queue'];
const HEADINGS = {
  webhook: 'webhooks',
  queue: 'queues',
  slack: 'slack',
  teams: 'teams',
} as const;

/**
 * The receiver of the config that the user named, such as `payroll-system` or `webhooks/payroll-system`. Throws a
 * `NotifierError` (`receiver_unknown`) that names those there are.
 */
export function findReceiver(to: string, kinds: readonly ReceiverKind[], target: Target): Receiver {
  const known = listReceivers(target).filter(({ kind }) => kinds.includes(kind));
  const found = known.filter(({ name, label }) => to === name || to === label);
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const labels = (only === undefined ? known : found).map(({ label }) => label).join(', ');
    const advice = labels === '' ? `${target.title} has none` : `use one of ${labels}`;
    const what = only === undefined ? 'no receiver' : 'more than one receiver';
    throw new NotifierError('receiver_unknown', `there is ${what} ${JSON.stringify(to)}; ${advice}`);
  }
  const queueUrl = target.parts.get(`queues/${only.kind}-${only.name}/url`);
  if (queueUrl !== undefined) return { ...only, queueUrl };
  const applying = target.redirects ? 'stop npm start and start it again' : 'deploy the stack';
  throw new NotifierError(
    'receiver_unknown',
    `${only.label} is in the config but not in ${target.title}; ${applying}`,
  );
}

/** The receivers of events in the config, as `--to` names them. */
export function listSystems(target: Target): string[] {
  return listReceivers(target).flatMap(({ kind, label }) => (SYSTEMS.includes(kind) ? [label] : []));
}

function listReceivers({ config }: Target): Omit<Receiver, 'queueUrl'>[] {
  const describe = (kind: ReceiverKind, name: string, interest: Interest | null) => {
    return { kind, name, label: `${HEADINGS[kind]}/${name}`, interest };
  };
  return [
    ...config.webhooks.map((webhook) => describe('webhook', webhook.name, webhook)),
    ...config.queues.map((queue) => describe('queue', queue.name, queue)),
    ...config.people.channels.flatMap(({ kind, name }) =>
      kind === 'email' ? [] : [describe(kind, name, null)],
    ),
  ];
}
