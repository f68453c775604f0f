/** Resolves the references of a template. */
export interface References {
  refer(name: string): unknown;
  attribute(logicalId: string, name: string): string;
}

type Resolve = (value: unknown) => unknown;
type Intrinsic = (argument: unknown) => unknown;

/** `${Name}` and `${Name.Attribute}`; `${!Literal}` is left alone. */
const SUBSTITUTION = /\$\{([^!][^}]*)\}/g;

/** Whether an object with this one key is an intrinsic function, not plain data. */
export function isIntrinsic(key: string): boolean {
  return key === 'Ref' || key.startsWith('Fn::');
}

/** The intrinsic functions that CDK writes into the properties read here. */
export function createIntrinsics(
  references: References,
  resolve: Resolve,
): Readonly<Record<string, Intrinsic>> {
  return {
    Ref: (argument) => references.refer(String(argument)),
    'Fn::GetAtt': (argument) => {
      const [logicalId, ...name] = Array.isArray(argument) ? argument : String(argument).split('.');
      return references.attribute(String(logicalId), name.join('.'));
    },
    'Fn::Sub': (argument) => {
      const [text, variables = {}] = Array.isArray(argument) ? argument : [argument];
      return substitute(String(text), resolve(variables) as Record<string, unknown>, references);
    },
    'Fn::Join': (argument) => {
      const [separator, parts] = resolve(argument) as [string, unknown[]];
      return parts.map(String).join(separator);
    },
    'Fn::Select': (argument) => {
      const [index, list] = resolve(argument) as [number | string, unknown[]];
      return list[Number(index)];
    },
    'Fn::Split': (argument) => {
      const [separator, text] = resolve(argument) as [string, string];
      return text.split(separator);
    },
  };
}

function substitute(text: string, variables: Record<string, unknown>, references: References): string {
  return text.replaceAll(SUBSTITUTION, (_, name: string) => {
    if (Object.hasOwn(variables, name)) return String(variables[name]);
    const dot = name.indexOf('.');
    if (dot < 0) return String(references.refer(name));
    return references.attribute(name.slice(0, dot), name.slice(dot + 1));
  });
}
