import { NestedStack } from 'aws-cdk-lib';
import { Construct, type IConstruct } from 'constructs';

const ID = 'Watch';

/**
 * What only watches, alarms and the metrics that they count in logs, as a stack within the stack: an endpoint has up to
 * three, each of which would count towards the 500 resources. Nothing in it has data, and what it watches is named by
 * names that the config fixes (ADR 35).
 */
export class Watch extends NestedStack {
  constructor(scope: Construct) {
    super(scope, ID, { description: 'Alarms of the workforce change notifier' });
  }

  /** The place within the watching stack for what watches a construct: the same path as there. */
  static placeFor(construct: Construct): Construct {
    const scopes = construct.node.scopes;
    for (const [index, scope] of [...scopes.entries()].reverse()) {
      const watch = scope.node.tryFindChild(ID);
      if (watch instanceof Watch) return scopes.slice(index + 1).reduce(enter, watch);
    }
    throw new Error(`${construct.node.path} is in no stack that is watched`);
  }
}

function enter(place: Construct, { node: { id } }: IConstruct): Construct {
  const found = place.node.tryFindChild(id);
  return found instanceof Construct ? found : new Construct(place, id);
}
