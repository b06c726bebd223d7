// Performs each operation of both APIs once, as its owner does. `npm run docs:examples` records these requests with their
// responses; what they are by the OpenAPI documents is tested here.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Route } from '../../../src/management/plane/route.ts'
import { openStage, type Stage, type TestProject } from '../../inference/inference-stage.ts'
import { preparations } from '../../management/audit/preparations.ts'
import { idsFor, requestTo } from '../../management/idor-callers.ts'
import { openRouteTable, type RouteTable } from '../../management/plane/route-table.ts'
import { startTwoTenants, type TwoTenants } from '../../management/two-tenants.ts'
import { type Answer, startManagement } from '../../support/management-harness.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { makeProjectOf, mistral } from '../../surfaces/responses/response-stage.ts'
import { type ExampleChecker, openExampleChecker } from './check-examples.ts'

let world: TwoTenants
let table: RouteTable
let checker: ExampleChecker
let stage: Stage
beforeAll(async () => {
  table = await openRouteTable()
  checker = await openExampleChecker()
  world = await startTwoTenants(options => startManagement('sqlite', options))
  stage = await openStage('sqlite')
})
afterAll(async () => {
  await table?.close()
  await world?.plane.stop()
  await stage?.stop()
})

/** They need an issuer and a browser, or something that only traffic makes; the tests of their rooms perform them. */
const elsewhere = [
  ...['startSignOn', 'finishSignOn', 'linkIdentity', 'getPendingLink', 'getRequest', 'getDeviceRequest'],
  'runPlayground',
]
const queries: Record<string, string> = {
  exportUsage: '?format=csv',
  getSignOnOptions: '?email=alice@example.com',
  exportRequests: '?format=csv',
}

async function perform(route: Route): Promise<Answer> {
  const prepare = preparations[route.operation]
  // A tenant may have few keys checked in a minute.
  const isUsedUp = route.method === 'DELETE' || prepare !== undefined || route.operation.startsWith('validate')
  const tenant = isUsedUp ? await world.makeSpare() : route.method === 'GET' ? world.a : world.b
  const ids = idsFor(world, tenant)
  const given = (await prepare?.({ world, tenant, ids })) ?? {}
  const { method, path, body } = requestTo({ method: route.method, pattern: route.path }, { ...ids, ...given.ids })
  const owned = {
    none: {},
    'optional-session': {},
    'admin-secret': { adminSecret: world.plane.adminSecret },
    'api-key': { apiKey: tenant.projects[0].apiKey },
    session: { session: tenant.owner.session },
  }
  const credential = given.credential === undefined ? owned[route.credential] : { session: given.credential }
  return await world.plane.call(method, `${path}${given.query ?? queries[route.operation] ?? ''}`, {
    ...(given.credential === '' ? {} : credential),
    ...(method === 'GET' ? {} : { body: given.body ?? body }),
  })
}

test('every route of the management API answers as its document says', async () => {
  const faults: unknown[] = []
  for (const route of table.routes) {
    if (route.onProjectHost || elsewhere.includes(route.operation)) continue
    const answer = await perform(route)
    const listed = checker.find(route.method, route.path.replace(/:(\w+)/g, 'x'))
    const response = answer.text === '' ? undefined : answer.body
    const { status } = answer
    const wrong =
      listed === undefined || status >= 400
        ? [answer.text]
        : checker.faultsOf(listed, { path: listed.path.replace(/\{\w+\}/g, 'x'), status, response })
    const ofResponse = wrong.filter(fault => !fault.startsWith('the request'))
    if (ofResponse.length > 0) faults.push([route.operation, status, ofResponse])
  }
  expect(faults).toEqual([])
})

const hello = { messages: [{ role: 'user', content: 'Is it raining in Oslo?' }] }
const embedding = { object: 'list', model: 'text-embedding-3-small', usage: { prompt_tokens: 4, total_tokens: 4 } }

/** `keeping`: a project whose provider keeps no responses, so that Sallyport does. */
async function askEverything(project: TestProject, keeping: TestProject): Promise<[string, number][]> {
  const threads = '/v1/threads/trip-to-oslo'
  const headers = { 'x-thread-id': 'trip-to-oslo' }
  const model = 'openai/gpt-4o-mini'
  const statuses: [string, number][] = []
  const ask = async (method: string, path: string, body?: object, more: Record<string, string> = {}) => {
    const asked = path.startsWith('/v1/responses') ? keeping : project
    const answer = await asked.ask(method, path, { body, headers: more })
    statuses.push([`${method} ${path}`, answer.status])
    return answer
  }
  const completion = await ask('POST', '/v1/chat/completions', { model, ...hello }, headers)
  await ask('POST', '/v1/messages', { model, max_tokens: 200, ...hello })
  await ask('POST', '/v1/messages/count_tokens', { model, ...hello })
  const created = await ask('POST', '/v1/responses', { input: 'Is it raining in Oslo?' })
  const { id } = created.body as { id: string }
  await ask('GET', `/v1/responses/${id}`)
  await ask('DELETE', `/v1/responses/${id}`)
  await ask('POST', '/v1/embeddings', { model: 'openai/text-embedding-3-small', input: 'Is it raining in Oslo?' })
  for (const path of ['/v1/models', `/v1/models/${model}`, '/v1/threads', threads, `${threads}/messages`]) {
    await ask('GET', path)
  }
  await ask('GET', '/v1/billing/usage?group_by=model')
  const requestId = String(completion.headers['x-request-id'])
  await ask('POST', '/v1/feedback', { request_id: requestId, score: 1, comment: 'Just what I needed' })
  await ask('DELETE', threads)
  return statuses
}

test('every operation of the data plane but anonymous tokens answers', async () => {
  const project = await stage.makeProject()
  stage.script(({ body }) =>
    say('openai', { text: ['Yes, ', 'since this morning.'] }, JSON.parse(body).stream === true),
  )
  const data = [{ object: 'embedding', index: 0, embedding: [0.0023, -0.0092, 0.0158] }]
  stage.upstream.on('POST /v1/embeddings', { body: { ...embedding, data } })
  const statuses = await askEverything(project, await makeProjectOf(stage, mistral, {}))
  const { api_key: token } = await stage.harness.makeApiKey(project.id)
  const minted = await project.ask('POST', '/v1/auth/mint', { token, body: { user_id: 'alice', ttl: 3600 } })
  statuses.push(['mint', minted.status])
  expect(statuses.filter(([, status]) => status >= 300)).toEqual([])
})
