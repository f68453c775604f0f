import { type Channel, destinationOf } from '#shared/config/schema/channel.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Interest } from '#shared/systems/filter.ts';
import type { Target } from './target.ts';

type ReceiverKind = 'webhook' | 'queue' | Channel['kind'];

/** A receiver of the config. */
export interface Receiver {
  readonly kind: ReceiverKind;
  readonly name: string;
  /** As `--to` names it: a system by its name, a channel such as `slack/payroll`, as systems may have the same names. */
  readonly label: string;
  /** Name in the delivery store, such as `webhook/payroll-system`. */
  readonly destination: string;
  /** What it subscribes to; null for a channel, where an event without an entry caused no alert. */
  readonly interest: Interest | null;
}

/** Those that get events. */
export const SYSTEMS: readonly ReceiverKind[] = ['webhook', 'queue'];
/** Those whose deliveries are kept. Only who reads a queue knows what became of an event there. */
export const WITH_DELIVERIES: readonly ReceiverKind[] = ['webhook', 'slack', 'teams', 'email'];

/** The receivers of these kinds. */
export function listReceivers(
  kinds: readonly ReceiverKind[],
  { config }: Pick<Target, 'config'>,
): Receiver[] {
  const system = (kind: ReceiverKind, interest: Interest & { readonly name: string }): Receiver => {
    const { name } = interest;
    return { kind, name, label: name, destination: `${kind}/${name}`, interest };
  };
  return [
    ...config.webhooks.map((webhook) => system('webhook', webhook)),
    ...config.queues.map((queue) => system('queue', queue)),
    ...config.people.channels.map((channel): Receiver => {
      const { kind, name } = channel;
      const label = destinationOf(channel);
      return { kind, name, label, destination: label, interest: null };
    }),
  ].filter(({ kind }) => kinds.includes(kind));
}

/** The receiver that the user named. Throws a `NotifierError` (`receiver_unknown`) that names those there are. */
export function findReceiver(to: string, kinds: readonly ReceiverKind[], target: Target): Receiver {
  const known = listReceivers(kinds, target);
  const found = known.find(({ label }) => to === label);
  if (found !== undefined) return found;
  const labels = known.map(({ label }) => label).join(', ');
  const advice = labels === '' ? 'the config has none' : `use one of ${labels}`;
  throw new NotifierError('receiver_unknown', `there is no receiver ${JSON.stringify(to)}; ${advice}`);
}

/** The address of the queue that its events go through. Throws a `NotifierError` (`receiver_unknown`) before there is one. */
export function findQueue({ kind, name, label }: Receiver, target: Target): string {
  const queueUrl = target.parts.get(`queues/${kind}-${name}/url`);
  if (queueUrl !== undefined) return queueUrl;
  const applying = target.redirects ? 'stop npm start and start it again' : 'deploy the stack';
  throw new NotifierError(
    'receiver_unknown',
    `${label} is in the config but not in ${target.title}; ${applying}`,
  );
}
