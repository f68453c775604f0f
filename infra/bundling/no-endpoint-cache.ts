/**
 * Stands in for `@aws-sdk/endpoint-cache` in bundles: the DynamoDB client makes one for endpoint discovery, which
 * none of its commands uses any more.
 */
export class EndpointCache {}
