// Tests that every address that a tenant chose is held against the rules of outbound requests at each call, whatever the
// kind of provider: it was allowed when it was stored, and is not any more.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { claude, configurations } from '../attempt/cloud-stage.ts'
import { openStage, type Stage, type TestProject, tenantKey } from '../inference-stage.ts'

interface Kind {
  /** Below the tenant's providers. */
  path: string
  model: string
  configuration: (url: string) => Record<string, unknown>
}

const kinds = {
  'a built-in provider': {
    path: 'openai',
    model: 'openai/gpt-4o-mini',
    configuration: url => ({ api_key: tenantKey, base_url_override: `${url}/v1` }),
  },
  'a custom provider': {
    path: 'custom/local',
    model: 'custom-local/small',
    configuration: url => ({ display_name: 'Local', base_url: `${url}/v1` }),
  },
  'Azure OpenAI': { path: 'azure', model: 'azure/my-gpt', configuration: configurations.azure },
  'Amazon Bedrock': { path: 'bedrock', model: `bedrock/${claude}`, configuration: configurations.bedrock },
  'Vertex AI': {
    path: 'vertex',
    model: 'vertex/gemini-2.5-flash',
    configuration: url => {
      const known = configurations.vertex(url)
      return { ...known, service_account: { ...known.service_account, token_uri: `${issuer.url}/token` } }
    },
  },
} satisfies Record<string, Kind>
type KindName = keyof typeof kinds
const names = Object.keys(kinds) as KindName[]

/** What issues the clouds' tokens stays allowed, so that no call fails before the provider's address is checked. */
let issuer: ScriptedUpstream
let providers: ScriptedUpstream
let stage: Stage
let restarted: Product
const projects = new Map<KindName, TestProject>()

beforeAll(async () => {
  ;[issuer, providers] = [await startUpstream(), await startUpstream()]
  issuer.on('GET /', { body: '<GetCallerIdentityResponse/>' })
  issuer.on('POST /token', { body: { access_token: 'token', expires_in: 3600, token_type: 'Bearer' } })
  providers.on('GET /openai/models', { body: { data: [] } })
  providers.on('GET /v1/models', { body: { data: [{ id: 'small' }, { id: 'gpt-4o-mini' }] } })
  stage = await openStage(
    'sqlite',
    { OUTBOUND_ALLOW: `${issuer.host},${providers.host}`, AWS_ENDPOINT_URL_STS: `${issuer.url}/` },
    { own: true },
  )
  for (const name of names) projects.set(name, await makeProject(kinds[name]))
  await stage.harness.product.stop()
  const { env, product } = stage.harness
  restarted = await startProduct({ env: { ...env, OUTBOUND_ALLOW: issuer.host, PORT: String(product.port) } })
})
afterAll(async () => {
  await restarted?.stop()
  await stage?.stop()
  await Promise.all([issuer.close(), providers.close()])
})

/** A project whose provider was asked while its address was allowed. */
async function makeProject({ path, model, configuration }: Kind): Promise<TestProject> {
  const project = await stage.makeProject({ model, provider: { path, body: configuration(providers.url) } })
  providers.requests.length = 0
  await project.complete()
  expect(asked(), path).toEqual(['POST'])
  return project
}

const asked = () => [...new Set(providers.requests.map(({ method }) => method))]

test.each(names)('%s', async name => {
  providers.requests.length = 0
  const answer = await projects.get(name)?.complete()
  expect(answer).toMatchObject({ status: 502, body: { error: { code: 'provider_unavailable' } } })
  expect(asked()).toEqual([])
})
