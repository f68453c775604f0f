import { defineNotifierConfig } from '#infra/config.ts';
import base from '../../notifier.config.ts';

export default defineNotifierConfig({
  ...base,
  stackName: 'Prod-Notifier',
  tags: { costCentre: '4711' },
  permissionsBoundary: 'developer-boundary',
  network: {
    subnetIds: ['subnet-0a1b2c3d', 'subnet-4e5f6a7b'],
    securityGroupIds: ['sg-0a1b2c3d'],
  },
});
