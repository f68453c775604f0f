import { defineNotifierStages } from '#infra/config.ts';
import base from '../../notifier.config.ts';

export default defineNotifierStages({
  ...base,
  tags: { costCentre: '4711' },
  stages: {
    test: {
      account: '111122223333',
      region: 'ap-southeast-2',
      // Nobody hears of the test but those who run it.
      alerts: {},
      webhooks: [],
      subscriptions: [],
    },
    production: {
      stackName: 'Prod-Notifier',
      account: '444455556666',
      region: 'ap-southeast-2',
      permissionsBoundary: 'developer-boundary',
      network: {
        vpcId: 'vpc-0a1b2c3d',
        subnetIds: ['subnet-0a1b2c3d', 'subnet-4e5f6a7b'],
        securityGroupIds: ['sg-0a1b2c3d'],
      },
    },
  },
});
