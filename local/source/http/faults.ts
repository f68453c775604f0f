import { z } from '@hono/zod-openapi';
import { OPERATION_IDS, type OperationId } from './operations.ts';

const MAX_MEGABYTES = 512;

/** What is done to an answer. Those marked (answer) replace it; the others change the real one or what follows. */
const actionSchema = z.discriminatedUnion('kind', [
  /** (answer) A status, with headers and any JSON or text as body. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.json().optional(),
  }),
  /** (answer) 200 with an HTML page. */
  z.strictObject({ kind: z.literal('html') }),
  /** (answer) 200 without a body. */
  z.strictObject({ kind: z.literal('empty-body') }),
  /** (answer) 200 with `[]`. */
  z.strictObject({ kind: z.literal('empty-list') }),
  /** (answer) 200 with JSON of another shape. */
  z.strictObject({ kind: z.literal('wrong-shape') }),
  /** (answer) 200 with a body of this size. */
  z.strictObject({ kind: z.literal('huge'), megabytes: z.number().min(0).max(MAX_MEGABYTES).default(32) }),
  /** (answer) None, ever. */
  z.strictObject({ kind: z.literal('hang') }),
  /** (answer) The connection is cut. */
  z.strictObject({ kind: z.literal('reset') }),
  /** Delays the answer (real milliseconds). */
  z.strictObject({ kind: z.literal('delay'), milliseconds: z.number().min(0).max(600_000) }),
  /** Delays the answer until the faults are cleared. */
  z.strictObject({ kind: z.literal('hold') }),
  /** Cuts the JSON in the middle. */
  z.strictObject({ kind: z.literal('truncated') }),
  /** `nextPage` is the path of the same page. */
  z.strictObject({ kind: z.literal('page-loop') }),
  /** `nextPage` is on another host. */
  z.strictObject({
    kind: z.literal('foreign-next-page'),
    url: z.string().default('https://elsewhere.example/api/v1/timesheets?page=2'),
  }),
  /** The first record of the page is on it twice. */
  z.strictObject({ kind: z.literal('duplicate-ids') }),
  /** Replaces members of the first record. */
  z.strictObject({
    kind: z.literal('poison-record'),
    members: z.record(z.string(), z.json()).default({ hoursToPay: 'many', date: 'no date' }),
  }),
  /** After the answer, removes timesheets of the page or creates others before them. */
  z.strictObject({
    kind: z.literal('drift'),
    change: z.enum(['insert', 'delete']),
    count: z.int().min(1).max(1000).default(1),
  }),
]);
export type FaultAction = z.output<typeof actionSchema>;

/** A fault: the requests it applies to, and what is done to their answers. */
const faultSchema = z.strictObject({
  /** Only this operation. */
  operation: z.enum(OPERATION_IDS).optional(),
  /** Only this page of a list. */
  page: z.int().min(1).optional(),
  /** Only lists of dates that include this one. */
  date: z.iso.date().optional(),
  /** Matching requests that pass before the fault applies. */
  skip: z.int().min(0).default(0),
  /** Matching requests that the fault applies to. */
  times: z.union([z.int().min(1), z.literal('always')]).default(1),
  action: actionSchema,
});
/** What is left out has its default. */
export type FaultInput = z.input<typeof faultSchema>;
type Fault = z.output<typeof faultSchema>;

interface FaultTarget {
  readonly operation: OperationId | null;
  readonly page: number;
  /** The dates that are listed, if the list has dates. */
  readonly dates: { readonly from: string; readonly to: string } | null;
}

export interface Faults {
  add(...faults: readonly FaultInput[]): void;
  clear(): void;
  /** Settles when the faults are next cleared. */
  cleared(): Promise<void>;
  /** The pending faults, with the rest of `skip` and `times`. */
  list(): readonly Fault[];
  /** Counts a request and returns the actions for its answer, in the order the faults were set. */
  take(target: FaultTarget): FaultAction[];
}

export function createFaults(): Faults {
  let faults: Fault[] = [];
  let clearing = Promise.withResolvers<void>();
  return {
    add(...more) {
      faults = [...faults, ...more.map((fault) => faultSchema.parse(fault))];
    },
    clear() {
      faults = [];
      clearing.resolve();
      clearing = Promise.withResolvers();
    },
    cleared: () => clearing.promise,
    list: () => faults,
    take(target) {
      const actions: FaultAction[] = [];
      faults = faults.flatMap((fault) => {
        if (!matches(fault, target)) return [fault];
        if (fault.skip > 0) return [{ ...fault, skip: fault.skip - 1 }];
        actions.push(fault.action);
        if (fault.times === 'always') return [fault];
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
      });
      return actions;
    },
  };
}

function matches(fault: Fault, { operation, page, dates }: FaultTarget): boolean {
  return (
    (fault.date === undefined || (dates !== null && dates.from <= fault.date && fault.date <= dates.to)) &&
    (fault.operation === undefined || fault.operation === operation) &&
    (fault.page === undefined || fault.page === page)
  );
}
