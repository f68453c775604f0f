import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** The packs of cdk-nag, beside AwsSolutions, that have these rules in common. */
const PACKS = ['HIPAA.Security', 'NIST.800.53.R4', 'NIST.800.53.R5', 'PCI.DSS.321', 'Serverless'];

/** Says why a rule of the packs that check the template is not followed here. AwsSolutions is followed throughout. */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge(...PACKS.map((pack) => ({ id: `${pack}-${rule}`, reason })));
}
