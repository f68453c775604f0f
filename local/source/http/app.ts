import { OpenAPIHono } from '@hono/zod-openapi';
import { catchUp, type Service } from '../service.ts';
import { createApi } from './api.ts';
import { createControl } from './control.ts';
import { injectFaults } from './fault-guard.ts';
import {
  answerOutage,
  limitRate,
  logRequests,
  refuseWrites,
  requireToken,
  type SourceEnvironment,
} from './guards.ts';
import { answerNotFound, answerProblem } from './problems.ts';

/** The whole emulator as one application: `/api/v1`, `/oauth/token`, `/openapi.json` and `/control`. */
export function createApp(service: Service): OpenAPIHono<SourceEnvironment> {
  const app = new OpenAPIHono<SourceEnvironment>();
  app.onError(answerProblem);
  app.notFound(answerNotFound);
  for (const path of ['/api/v1/*', '/oauth/token'])
    app.use(path, logRequests(service), answerOutage(service), injectFaults(service));
  app.use('/api/v1/*', refuseWrites, requireToken(service), limitRate(service), async (_context, next) => {
    catchUp(service);
    await next();
  });
  app.route('/api/v1', createApi(service));
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Workforce Management Read API', version: '1.0.0' },
  });
  addTokenEndpoint(app, service);
  app.route('/control', createControl(service));
  return app;
}

/** OAuth 2.0 client credentials (RFC 6749, section 4.4), as form members or by HTTP Basic. */
function addTokenEndpoint(app: OpenAPIHono<SourceEnvironment>, { tokens }: Service): void {
  app.post('/oauth/token', async (context) => {
    const form = new URLSearchParams(await context.req.text());
    if (form.get('grant_type') !== 'client_credentials') {
      return context.json({ error: 'unsupported_grant_type' }, 400);
    }
    const [id, secret] = basicCredentials(context.req.header('authorization'));
    const issued = tokens.issue(form.get('client_id') ?? id, form.get('client_secret') ?? secret);
    if (issued === null) return context.json({ error: 'invalid_client' }, 401);
    context.header('Cache-Control', 'no-store');
    return context.json(issued, 200);
  });
}

/** Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function basicCredentials(header = ''): [string, string] {
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(header) ?? [];
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':').map(decodeForm);
  return [id, secret];
}

function decodeForm(text: string): string {
  return new URLSearchParams(`text=${text}`).get('text') ?? '';
}
