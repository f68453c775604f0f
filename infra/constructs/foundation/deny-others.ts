import { Lazy } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Who may send to a topic or a queue. Both lists may grow until the template is written. */
export interface Senders {
  /** ARNs of roles and users. */
  readonly principals: string[];
  /** ARNs of topics or alarms, for which AWS sends in its own name. */
  readonly sources: string[];
}

export function createSenders(): Senders {
  return { principals: [], sources: [] };
}

export interface Denial {
  readonly sid: string;
  readonly action: 'sns:Publish' | 'sqs:SendMessage';
  readonly resourceArn: string;
  readonly senders: Senders;
}

/**
 * Denies an action to everybody else, whatever other policies of the account allow. A service that sends for one of the
 * sources has no principal ARN, and a principal has no source, so that each condition holds for the other kind.
 */
export function denyOthers({ sid, action, resourceArn, senders }: Denial): PolicyStatement {
  const listKeys = () => {
    const keys = Object.entries({
      'aws:PrincipalArn': senders.principals,
      'aws:SourceArn': senders.sources,
    });
    return Object.fromEntries(keys.filter(([, arns]) => arns.length > 0));
  };
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [action],
    resources: [resourceArn],
    conditions: { ArnNotEquals: Lazy.any({ produce: listKeys }) },
  });
}
