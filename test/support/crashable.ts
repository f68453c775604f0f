/** A process that dies at one of its calls, before or after the call had its effect; nothing it calls later has any. */
interface CrashPlan {
  readonly diesAt: number;
  readonly when: 'before' | 'after';
  calls: number;
  dead: boolean;
}

class SimulatedCrash extends Error {
  override readonly name = 'Death';
}

/** The port as a process with this life sees it. All methods are to be asynchronous. */
export function crashable<Port extends object>(port: Port, life: CrashPlan): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => await callOrCrash(life, () => method.apply(target, given));
    },
  });
}

async function callOrCrash(life: CrashPlan, effect: () => Promise<unknown>): Promise<unknown> {
  if (!life.dead) life.calls += 1;
  const dies = !life.dead && life.calls === life.diesAt;
  if (life.dead || (dies && life.when === 'before')) throw crash(life);
  const result = await effect();
  if (life.dead || dies) throw crash(life);
  return result;
}

function crash(life: CrashPlan): SimulatedCrash {
  life.dead = true;
  return new SimulatedCrash();
}

/**
 * Lives through a story once for each call that there is to die at, before it and after it. `story` answers whether its
 * process died. Answers how many deaths there were.
 */
export async function crashAtEveryCall(story: (life: CrashPlan) => Promise<boolean>): Promise<number> {
  let deaths = 0;
  for (let diesAt = 1; ; diesAt += 1) {
    for (const when of ['before', 'after'] as const) {
      if (!(await story({ diesAt, when, calls: 0, dead: false }))) return deaths;
      deaths += 1;
    }
  }
}
