import type { Deployment } from '#local/aws/template/deployment.ts';
import type { ReceiverKind } from '#local/receivers/server.ts';
import { readSetting } from '#shared/config/environment/setting.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';

type Environment = Deployment['functions'][number]['environment'];

/** Whether a deployment delivers to a receiver of this kind. */
export function hasReceiver({ functions }: Pick<Deployment, 'functions'>, kind: ReceiverKind): boolean {
  return functions.some(({ environment }) => delivers(environment, kind));
}

function delivers(environment: Environment, kind: ReceiverKind): boolean {
  switch (kind) {
    case 'slack':
      return isSlack(environment[ENVIRONMENT.channel]);
    case 'webhooks':
      return environment[ENVIRONMENT.webhook] !== undefined;
    case 'event-bus':
      return environment[ENVIRONMENT.eventBus] !== undefined;
  }
}

/** A channel without a kind is of Slack. */
function isSlack(channel: string | undefined): boolean {
  if (channel === undefined) return false;
  const { kind = 'slack' } = readSetting(channel) as { readonly kind?: string };
  return kind === 'slack';
}
