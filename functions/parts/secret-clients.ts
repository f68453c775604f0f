import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { SecretClients } from '#shared/adapters/secrets/secret-reader.ts';
import { CLIENT_OPTIONS } from './client-options.ts';

export function createSecretClients(): SecretClients {
  return { secretsManager: new SecretsManagerClient(CLIENT_OPTIONS), ssm: new SSMClient(CLIENT_OPTIONS) };
}
