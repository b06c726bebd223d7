// Scripted clouds for tests of completions through Azure OpenAI, Amazon Bedrock and Vertex AI: they verify every key,
// token and signature.
import { generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { checkSignature } from '../../support/simulated/aws-signature.ts'
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../../support/simulated/scripted-upstream.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'

export const azureKey = 'azure-key-0123456789abcdef'
export const clientSecret = 'entra-secret-0123456789'
export const awsSecret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
export const assumedSecret = 'assumed/secret+key'
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const tokenFile = join(mkdtempSync(join(tmpdir(), 'sallyport-token-')), 'token')
writeFileSync(tokenFile, 'web-identity-token\n')

export const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'

/** The configurations of the clouds' providers, with addresses at the scripted clouds. */
export const configurations = {
  azure: (url: string) => ({
    base_url: url,
    api_version: '2024-10-21',
    deployments: [{ id: 'my-gpt' }],
    api_key: azureKey,
  }),
  entra: (url: string) => ({
    base_url: url,
    api_version: '2024-10-21',
    deployments: [{ id: 'my-gpt' }],
    tenant_id: 'directory',
    client_id: 'app',
    client_secret: clientSecret,
  }),
  bedrock: (url: string) => ({
    region: 'eu-central-1',
    models: [{ id: claude }],
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: awsSecret,
    base_url_override: url,
  }),
  role: (url: string) => ({
    region: 'eu-central-1',
    models: [{ id: claude }],
    role_arn: 'arn:aws:iam::123456789012:role/bedrock',
    web_identity_token_file: tokenFile,
    base_url_override: url,
  }),
  vertex: (url: string) => ({
    location: 'europe-west4',
    models: [{ id: 'gemini-2.5-flash' }, { id: 'claude-sonnet-4-5' }],
    service_account: {
      type: 'service_account',
      project_id: 'my-project',
      private_key_id: 'key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: 'me@my-project.iam.gserviceaccount.com',
      token_uri: `${url}/google/token`,
    },
    base_url_override: url,
  }),
}
export type Kind = keyof typeof configurations
export const providerOf = (kind: Kind) => (kind === 'entra' ? 'azure' : kind === 'role' ? 'bedrock' : kind)

/** The issuers of the clouds' tokens, and the checks of what was issued. */
class Issuers {
  /** Tokens that were given out and are still accepted. */
  readonly accepted = new Set<string>()
  /** How many were given out. */
  issued = 0
  readonly #url: string

  constructor(cloud: ScriptedUpstream) {
    this.#url = cloud.url
    cloud.on('GET /', request => (this.isSigned(request) ? { body: '<GetCallerIdentityResponse/>' } : { status: 403 }))
    cloud.on('POST /', request => this.#assumeRole(request))
    cloud.on('POST /entra/directory/oauth2/v2.0/token', ({ body }) =>
      new URLSearchParams(body).get('client_secret') === clientSecret
        ? this.#issue()
        : { status: 401, body: { error: 'invalid_client', error_description: clientSecret } },
    )
    cloud.on('POST /google/token', ({ body }) =>
      this.#isAssertion(new URLSearchParams(body).get('assertion') ?? '')
        ? this.#issue()
        : { status: 400, body: { error: 'invalid_grant' } },
    )
    cloud.on('GET /openai/models', request => (this.isOfAzure(request) ? { body: { data: [] } } : { status: 401 }))
  }

  hasToken({ headers }: UpstreamRequest): boolean {
    return this.accepted.has(String(headers.authorization).replace('Bearer ', ''))
  }

  isOfAzure(request: UpstreamRequest): boolean {
    return (
      request.query['api-version'] === '2024-10-21' &&
      (request.headers['api-key'] === azureKey || this.hasToken(request))
    )
  }

  isSigned(request: UpstreamRequest): boolean {
    const session = request.headers['x-amz-security-token']
    if (session !== undefined && !this.accepted.has(String(session))) return false
    const { isValid, region } = checkSignature(request, session === undefined ? awsSecret : assumedSecret)
    return isValid && region === 'eu-central-1'
  }

  #issue(): UpstreamAnswer {
    const token = `token-${++this.issued}`
    this.accepted.add(token)
    return { body: { access_token: token, expires_in: 3600, token_type: 'Bearer' } }
  }

  #assumeRole({ body }: UpstreamRequest): UpstreamAnswer {
    const form = new URLSearchParams(body)
    if (form.get('WebIdentityToken') !== 'web-identity-token')
      return { status: 400, body: '<Code>InvalidIdentityToken</Code>' }
    const session = `session-${form.get('RoleSessionName')}-${++this.issued}`
    this.accepted.add(session)
    const expiration = new Date(Date.now() + 3_600_000).toISOString()
    return {
      headers: { 'content-type': 'text/xml' },
      body: `<Credentials><AccessKeyId>ASIAASSUMEDROLE01</AccessKeyId><SecretAccessKey>${assumedSecret}</SecretAccessKey><SessionToken>${session}</SessionToken><Expiration>${expiration}</Expiration></Credentials>`,
    }
  }

  #isAssertion(assertion: string): boolean {
    const [header = '', claims = '', signature = ''] = assertion.split('.')
    const { aud, exp } = JSON.parse(Buffer.from(claims || 'e30', 'base64url').toString())
    const text = Buffer.from(`${header}.${claims}`)
    const isSound = verify('RSA-SHA256', text, publicKey, Buffer.from(signature, 'base64url'))
    return isSound && aud === `${this.#url}/google/token` && exp * 1000 > Date.now()
  }
}

/** A product in front of the scripted clouds, for all tests of the group that calls this. */
export class CloudStage {
  stage!: Stage
  cloud!: ScriptedUpstream
  issuers!: Issuers

  constructor(backend: 'sqlite' | 'postgres') {
    beforeAll(async () => {
      this.cloud = await startUpstream()
      this.stage = await openStage(
        backend,
        {
          OUTBOUND_ALLOW: this.cloud.host,
          AZURE_AUTHORITY_HOST: `${this.cloud.url}/entra`,
          AWS_ENDPOINT_URL_STS: `${this.cloud.url}/`,
          WEB_IDENTITY_TOKEN_FILES: tokenFile,
          LOG_LEVEL: 'debug',
        },
        { own: true },
      )
    })
    afterAll(async () => {
      await this.stage.stop()
      await this.cloud.close()
    })
    beforeEach(() => {
      this.cloud.reset()
      this.issuers = new Issuers(this.cloud)
    })
  }

  manage(method: string, path: string, body?: unknown) {
    const { harness } = this.stage
    return harness.call(method, path, { session: harness.owner.session, ...(body === undefined ? {} : { body }) })
  }

  put(tenantId: string, kind: Kind, fields: object = {}) {
    const path = `/auth/v1/tenants/${tenantId}/providers/${providerOf(kind)}`
    return this.manage('PUT', path, { ...configurations[kind](this.cloud.url), ...fields })
  }

  async makeProject(kind: Kind, model: string): Promise<TestProject> {
    const provider = { path: providerOf(kind), body: configurations[kind](this.cloud.url) }
    return await this.stage.makeProject({ model: `${provider.path}/${model}`, provider })
  }

  /** The requests for completions that the clouds got. */
  asked(): UpstreamRequest[] {
    return this.cloud.requests.filter(({ path }) => /\/(?:model|publishers|deployments)\//.test(path))
  }

  async textOfStream(project: TestProject, body = {}, options = {}): Promise<string> {
    const answer = await project.open(body, options)
    await answer.ended
    return answer.text()
  }
}
