import { expect, test, vi } from 'vitest';
import { buildStack, CONFIGS, readTemplate } from './synthesized.ts';

test.each(['everything', 'own-key'] as const)('the config %j breaks no rule of CloudFormation', (name) => {
  // A template that breaks one does not synthesize then.
  vi.stubEnv('CDK_VALIDATION', undefined);
  expect(() => readTemplate(buildStack(CONFIGS[name]))).not.toThrow();
});
