import { expect, test, vi } from 'vitest';
import { synthesize, WITH_EVERY_OPTION } from './synthesized.ts';

test.each(['aws-managed', 'customer-managed'] as const)(
  'a stack with everything and %s keys breaks no rule of CloudFormation',
  (encryption) => {
    // A template that breaks one does not synthesize then.
    vi.stubEnv('CDK_VALIDATION', undefined);
    expect(() => synthesize({ ...WITH_EVERY_OPTION, encryption })).not.toThrow();
  },
);
