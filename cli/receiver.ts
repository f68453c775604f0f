import { destinationOf } from '#shared/config/schema/channel.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '#shared/operator/target.ts';
import type { Interest } from '#shared/systems/filter.ts';

type ReceiverKind = 'webhook' | 'queue' | 'slack' | 'teams';

/** One receiver, with the queue its events go through. */
export interface Receiver {
  readonly kind: ReceiverKind;
  /** In the config. */
  readonly name: string;
  /** As `--to` names it: a system by its name, a channel such as `slack/payroll`, as systems may have the same names. */
  readonly label: string;
  readonly queueUrl: string;
  /** What it subscribes to; null for a channel. */
  readonly interest: Interest | null;
}

/** The kinds of receivers that get events. */
export const SYSTEMS: readonly ReceiverKind[] = ['webhook', 'queue'];

/** The receiver of the config that the user named. Throws a `NotifierError` (`receiver_unknown`) that names those there are. */
export function findReceiver(to: string, kinds: readonly ReceiverKind[], target: Target): Receiver {
  const known = listReceivers(target).filter(({ kind }) => kinds.includes(kind));
  const found = known.find(({ label }) => to === label);
  if (found === undefined) {
    const labels = known.map(({ label }) => label).join(', ');
    const advice = labels === '' ? `${target.title} has none` : `use one of ${labels}`;
    throw new NotifierError('receiver_unknown', `there is no receiver ${JSON.stringify(to)}; ${advice}`);
  }
  const queueUrl = target.parts.get(`queues/${found.kind}-${found.name}/url`);
  if (queueUrl !== undefined) return { ...found, queueUrl };
  const applying = target.redirects ? 'stop npm start and start it again' : 'deploy the stack';
  throw new NotifierError(
    'receiver_unknown',
    `${found.label} is in the config but not in ${target.title}; ${applying}`,
  );
}

/** The receivers of events in the config, as `--to` names them. */
export function listSystems(target: Target): string[] {
  return listReceivers(target).flatMap(({ kind, label }) => (SYSTEMS.includes(kind) ? [label] : []));
}

function listReceivers({ config }: Target): Omit<Receiver, 'queueUrl'>[] {
  const describe = (kind: ReceiverKind, system: Interest & { readonly name: string }) => {
    return { kind, name: system.name, label: system.name, interest: system };
  };
  return [
    ...config.webhooks.map((webhook) => describe('webhook', webhook)),
    ...config.queues.map((queue) => describe('queue', queue)),
    ...config.people.channels.flatMap((channel) => {
      const { kind, name } = channel;
      return kind === 'email' ? [] : [{ kind, name, label: destinationOf(channel), interest: null }];
    }),
  ];
}
