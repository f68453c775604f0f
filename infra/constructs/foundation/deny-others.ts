import { DefaultStackSynthesizer, Fn, Lazy, Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** Who may do something with a topic or a queue. Both lists may grow until the template is written. */
export interface Admitted {
  /** ARNs of roles and users; `*` stands for any part. */
  readonly principals: string[];
  /** ARNs of topics or alarms, for which AWS acts in its own name. */
  readonly sources: string[];
}

export function admitNobody(): Admitted {
  return { principals: [], sources: [] };
}

/**
 * The role with which CloudFormation deploys the stack around a construct, by the bootstrap of the CDK; nobody where it
 * acts as whoever deploys.
 */
export function admitDeployer(scope: Construct): Admitted {
  const { synthesizer } = Stack.of(scope);
  const isBootstrapped = synthesizer instanceof DefaultStackSynthesizer;
  const role = isBootstrapped ? synthesizer.cloudFormationExecutionRoleArn : '';
  return { principals: role === '' ? [] : [Fn.sub(role)], sources: [] };
}

export interface Denial {
  readonly sid: string;
  readonly actions: readonly string[];
  readonly resourceArn: string;
  readonly admitted: Admitted;
  /** Also admits what CloudFormation asks for as whoever deploys. Default: false. */
  readonly exceptDeployments?: boolean;
}

/** Where CloudFormation has no role of its own, it asks with the credentials of whoever deploys, and says so. */
const NO_DEPLOYMENT = { StringNotEquals: { 'aws:CalledViaLast': 'cloudformation.amazonaws.com' } };

/**
 * Denies actions to everybody else, whatever other policies of the account allow. A service that acts for one of the
 * sources has no principal ARN, and a principal has no source, so that each condition holds for the other kind.
 */
export function denyOthers(denial: Denial): PolicyStatement {
  const { sid, actions, resourceArn, admitted, exceptDeployments = false } = denial;
  const listKeys = () => {
    const keys = Object.entries({
      'aws:PrincipalArn': [...new Set(admitted.principals)],
      'aws:SourceArn': [...new Set(admitted.sources)],
    }).filter(([, arns]) => arns.length > 0);
    return keys.length === 0 ? undefined : Object.fromEntries(keys);
  };
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [...actions],
    resources: [resourceArn],
    conditions: {
      ArnNotEquals: Lazy.any({ produce: listKeys }),
      ...(exceptDeployments ? NO_DEPLOYMENT : {}),
    },
  });
}
