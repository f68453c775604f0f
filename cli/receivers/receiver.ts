import type { SnapshotRequestInput } from '#shared/config/requests/replay-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import type { Target } from '#shared/operator/target.ts';
import type { SendingFlags } from './count-and-send.ts';

/** Kinds of receivers by their prefix in `--to`. */
const KINDS = {
  webhooks: 'webhook',
  subscriptions: 'subscription',
  slack: 'slack',
  teams: 'teams',
} as const;

type ReceiverHeading = keyof typeof KINDS;
type ReceiverKind = (typeof KINDS)[ReceiverHeading];

const KIND_LABELS: Readonly<Record<ReceiverKind, string>> = {
  webhook: 'webhook',
  subscription: 'subscription',
  slack: 'Slack channel',
  teams: 'Teams channel',
};

/** One receiver, with the queue its events go through. */
export interface Receiver {
  readonly kind: ReceiverKind;
  readonly name: string;
  readonly queueUrl: string;
  /** What it subscribes to; null for a channel, and when the config does not have it. */
  readonly interest: Pick<Target['config']['webhooks'][number], 'topics' | 'filter'> | null;
}

interface ReceiverChoice {
  /** The prefixes that the command accepts. */
  readonly headings: readonly ReceiverHeading[];
  /** Second half of the error for any other prefix. */
  readonly advice: string;
}

/**
 * The receiver that the user named, such as `webhooks/payroll-system`. Throws a `NotifierError` (`receiver_unknown`)
 * that names those there are.
 */
export function findReceiver(to: string, { headings, advice }: ReceiverChoice, target: Target): Receiver {
  const [heading = '', name = ''] = to.split('/');
  const known = headings.find((each) => each === heading);
  if (known === undefined || name === '') {
    throw new NotifierError('receiver_unknown', `--to is ${JSON.stringify(to)}; ${advice}`);
  }
  const kind = KINDS[known];
  const queueUrl = target.parts.get(`queues/${kind}-${name}/url`);
  if (queueUrl === undefined) throw createUnknownError(kind, name, target);
  const configured = listConfigured(kind, target).find((each) => each.name === name);
  const interest = configured !== undefined && 'topics' in configured ? configured : null;
  return { kind, name, queueUrl, interest };
}

/** How a change of the config takes effect. */
function describeApplying({ redirects }: Target): string {
  return redirects ? 'stop npm start and start it again' : 'deploy the stack';
}

function listConfigured(kind: ReceiverKind, { config }: Target) {
  switch (kind) {
    case 'webhook':
      return config.webhooks;
    case 'subscription':
      return config.subscriptions;
    case 'slack':
    case 'teams':
      return config.alerts.channels.filter((channel) => channel.kind === kind);
  }
}

function createUnknownError(kind: ReceiverKind, name: string, target: Target): NotifierError {
  const what = KIND_LABELS[kind];
  if (listConfigured(kind, target).some((each) => each.name === name)) {
    return new NotifierError(
      'receiver_unknown',
      `the ${what} "${name}" is in the config but not in ${target.title}; ${describeApplying(target)}`,
    );
  }
  const queue = new RegExp(`^queues/${kind}-([^/]+)/url$`);
  const names = [...target.parts.keys()].flatMap((path) => queue.exec(path)?.[1] ?? []);
  return new NotifierError(
    'receiver_unknown',
    `there is no ${what} "${name}"; ${names.length === 0 ? `${target.title} has none` : `use one of ${names.join(', ')}`}`,
  );
}

const RECEIVERS = {
  headings: ['subscriptions', 'webhooks'],
  advice: 'use subscriptions/<name> or webhooks/<name>',
} as const;

/** Where snapshots go, and which of them. Throws a `NotifierError` for an unknown receiver or a disabled webhook. */
export async function resolveSnapshotReceiver(
  { to, dryRun }: Pick<SendingFlags, 'dryRun'> & { readonly to: string },
  target: Target,
): Promise<Pick<SnapshotRequestInput, 'queueUrl' | 'interest'>> {
  const { kind, name, queueUrl, interest } = findReceiver(to, RECEIVERS, target);
  if (kind === 'webhook' && dryRun !== true) await checkEnabled(name, target);
  if (interest === null) return { queueUrl };
  const { topics, filter } = interest;
  return { queueUrl, interest: { topics, filter } };
}
