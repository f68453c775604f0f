import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '../targets/target.ts';

/** Kinds of receivers that a command can send to alone, by their heading in `--to`. */
const KINDS = { webhooks: 'webhook', subscriptions: 'subscription', slack: 'slack' } as const;

type ReceiverHeading = keyof typeof KINDS;
type ReceiverKind = (typeof KINDS)[ReceiverHeading];

const KIND_LABELS: Readonly<Record<ReceiverKind, string>> = {
  webhook: 'webhook',
  subscription: 'subscription',
  slack: 'Slack channel',
};

/** One receiver, with the queue it gets its events through. */
export interface Receiver {
  readonly kind: ReceiverKind;
  readonly name: string;
  readonly queueUrl: string;
  /** What it subscribes to; null where the config does not say, and for a Slack channel. */
  readonly interest: Pick<Target['config']['webhooks'][number], 'topics' | 'filter'> | null;
}

interface ReceiverChoice {
  /** Those that the command knows. */
  readonly headings: readonly ReceiverHeading[];
  /** What is said of them to whoever names another. */
  readonly advice: string;
}

/**
 * The receiver that the user named, such as `webhooks/payroll-system`. Throws a `NotifierError` (`receiver_unknown`)
 * that says whom there is.
 */
export function findReceiver(to: string, { headings, advice }: ReceiverChoice, target: Target): Receiver {
  const [heading = '', name = ''] = to.split('/');
  const known = headings.find((each) => each === heading);
  if (known === undefined || name === '') {
    throw new NotifierError('receiver_unknown', `--to is ${JSON.stringify(to)}; ${advice}`);
  }
  const kind = KINDS[known];
  const queueUrl = target.parts.get(`queues/${kind}-${name}/url`);
  if (queueUrl === undefined) throw unknown(kind, name, target);
  const configured = listConfigured(kind, target).find((each) => each.name === name);
  const interest = configured !== undefined && 'topics' in configured ? configured : null;
  return { kind, name, queueUrl, interest };
}

function listConfigured(kind: ReceiverKind, { config }: Target) {
  switch (kind) {
    case 'webhook':
      return config.webhooks;
    case 'subscription':
      return config.subscriptions;
    case 'slack':
      return config.alerts.channels.filter((channel) => channel.kind === 'slack');
  }
}

function unknown(kind: ReceiverKind, name: string, target: Target): NotifierError {
  const what = KIND_LABELS[kind];
  if (listConfigured(kind, target).some((each) => each.name === name)) {
    const mend = target.redirects ? 'end its machine and start it again' : 'deploy the stack';
    return new NotifierError(
      'receiver_unknown',
      `the ${what} "${name}" is in the config, and not yet in ${target.title}; ${mend}`,
    );
  }
  const queue = new RegExp(`^queues/${kind}-([^/]+)/url$`);
  const names = [...target.parts.keys()].flatMap((path) => queue.exec(path)?.[1] ?? []);
  return new NotifierError(
    'receiver_unknown',
    `there is no ${what} "${name}"; ${names.length === 0 ? `${target.title} has none` : `use one of ${names.join(', ')}`}`,
  );
}
