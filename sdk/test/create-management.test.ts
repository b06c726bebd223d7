// The management API with a method for each route: what each sends, how the methods are called, and their types.
import { describe, expect, expectTypeOf, test } from 'vitest'
import { writeMethods } from '../generate/write-methods.ts'
import type { ApiOperation } from '../generate/write-types.ts'
import { createManagement, type Management } from '../src/create-management.ts'
import { routes } from '../src/management-methods.ts'
import { type Answering, caught, startAnswering } from './answering-server.ts'

async function start(answering: Answering = () => ({ body: {} })) {
  const { url, received } = await startAnswering(answering)
  const sent = () => received.map(({ method, url, body }) => [method, url, body])
  return { sallyport: createManagement({ baseUrl: url, token: 'sess_1', maxRetries: 0 }), received, sent }
}

describe('a method', () => {
  test('takes the parts of the path, the body, and the query with the headers', async () => {
    const { sallyport, received, sent } = await start()
    await sallyport.projects.settings.update('p-1', { rpm_limit: 10 })
    await sallyport.projects.settings.deploy('p-1')
    await sallyport.projects.settings.deployments.rollback('p-1', '3')
    await sallyport.projects.requests.stats.list('p-1', { query: { from: '2026-11-01', by: 'hour' } })
    await sallyport.projects.delete('p-1', { confirm: 'Chat' })
    expect(sent()).toEqual([
      ['PUT', '/auth/v1/projects/p-1/settings', '{"rpm_limit":10}'],
      ['POST', '/auth/v1/projects/p-1/settings/deploy', ''],
      ['POST', '/auth/v1/projects/p-1/settings/deployments/3/rollback', ''],
      ['GET', '/auth/v1/projects/p-1/requests/stats?from=2026-11-01&by=hour', ''],
      ['DELETE', '/auth/v1/projects/p-1', '{"confirm":"Chat"}'],
    ])
    expect(received.map(({ headers }) => headers['authorization'])).toEqual(Array(5).fill('Bearer sess_1'))
  })

  test('that lists reads page after page', async () => {
    const pages = [
      { data: [{ uid: 'ada' }, { uid: 'grace' }], next_cursor: 'c2' },
      { data: [{ uid: 'linus' }], next_cursor: null },
    ]
    const { sallyport, sent } = await start((_, at) => ({ body: pages[at] ?? {} }))
    const uids: string[] = []
    for await (const { uid } of sallyport.projects.users.list('p-1', { query: { limit: 2 } })) uids.push(uid)
    expect(uids).toEqual(['ada', 'grace', 'linus'])
    expect(sent().map(([, url]) => url)).toEqual([
      '/auth/v1/projects/p-1/users?limit=2',
      '/auth/v1/projects/p-1/users?limit=2&cursor=c2',
    ])
  })

  test('throws what the client throws', async () => {
    const { sallyport } = await start(() => ({ status: 404, body: { error: 'Project not found' } }))
    expect(await caught(sallyport.projects.get('p-1'))).toMatchObject({ status: 404, message: 'Project not found' })
    expect(String(await caught(sallyport.projects.get('')))).toContain('path.projectId must not be empty')
  })

  test('has the types of its route', () => {
    type Create = Management['tenants']['create']
    expectTypeOf<Parameters<Create>[0]>().toExtend<{ name: string }>()
    expectTypeOf<{ name: number }>().not.toExtend<Parameters<Create>[0]>()
    expectTypeOf<Parameters<Management['projects']['get']>>().toEqualTypeOf<[projectId: string]>()
    expectTypeOf<Awaited<ReturnType<Create>>['id']>().toEqualTypeOf<string>()
  })
})

test('every route of the table is sent as it says', async () => {
  const { sallyport, received } = await start()
  for (const [name, route] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const found = name.split('.').reduce((branch: unknown, word) => Reflect.get(branch as object, word), sallyport)
    const parts = Array.from(path.matchAll(/\{/g), (_, at) => `part-${at}`)
    const answer = (found as (...args: unknown[]) => AsyncIterable<unknown> | Promise<unknown>)(...parts, {})
    if (Symbol.asyncIterator in answer) await Array.fromAsync(answer)
    else await answer
    let at = 0
    expect([name, received.at(-1)?.method, received.at(-1)?.url]).toEqual([
      name,
      method,
      path.replace(/\{\w+\}/g, () => `part-${at++}`),
    ])
  }
  expect(received.length).toBeGreaterThan(150)
})

describe('the name of a method', () => {
  const namesOf = (...keys: string[]) => {
    const paths: Record<string, Record<string, ApiOperation>> = {}
    for (const key of keys) {
      const [method = '', path = '', type = 'object'] = key.split(' ')
      const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }))
      const responses = { 200: { content: { 'application/json': { schema: { type } } } } }
      paths[path] = { ...paths[path], [method.toLowerCase()]: { summary: 'Do it', parameters, responses } }
    }
    const written = writeMethods({ paths, components: { schemas: {} } })
    return Array.from(written.matchAll(/^ {2}'([\w.]+)': '(\w+) /gm), ([, name, method]) => `${method} ${name}`).sort()
  }

  test('says what is done', () => {
    const names = namesOf(
      'GET /v1/things array',
      'POST /v1/things',
      'DELETE /v1/things',
      'GET /v1/things/{thingId}',
      'PATCH /v1/things/{thingId}',
      'DELETE /v1/things/{thingId}',
      'POST /v1/things/{thingId}/send-again',
      'PUT /auth/v1/things/{thingId}/big-parts',
      'GET /openapi.json',
    )
    expect(names).toEqual([
      'DELETE things.delete',
      'DELETE things.deleteAll',
      'GET things.get',
      'GET things.list',
      'PATCH things.update',
      'POST things.create',
      'POST things.sendAgain',
      'PUT things.bigParts.update',
    ])
  })

  test('belongs to one route', () => {
    expect(() => namesOf('PUT /v1/things/{a}', 'PATCH /v1/things/{a}')).toThrow('things.update is taken')
    expect(() => namesOf('POST /v1/things/{a}/parts', 'GET /auth/v1/things/parts/{b}')).toThrow(
      'POST /v1/things/{a}/parts: things.parts is taken',
    )
  })
})
