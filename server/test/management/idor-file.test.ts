// The rows of the authorization matrix that belong to the management plane, each against a running product with two
// tenants that have everything; and that no row is left to nobody.
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeEachBackend } from '../support/management-harness.ts'
import { startProduct } from '../support/start-product.ts'
import { type Caller, prepareCallers } from './idor-callers.ts'
import { isExpected, type MatrixRow, rowsForManagement as rows, rowsForTheGateway } from './idor-rows.ts'
import { callHost, expectOk, mint, mintPath } from './requests.ts'
import { eachOf } from './send.ts'
import { dumpRows, idsOf, startTwoTenants, type TwoTenants } from './two-tenants.ts'

const isMint = (row: MatrixRow) => row.path.includes('/auth/mint')
const isUnset = (row: MatrixRow) => row.caller === 'ADMIN_SECRET unset at boot, header empty'
const isClaiming = (row: MatrixRow) => row.expected === 'ignored or 400; A unchanged'
const requested = rows.filter(row => !isMint(row) && !isUnset(row))

describe('the matrix', () => {
  test('has a row for somebody in every line', () => {
    expect([rows.length, rowsForTheGateway.length]).toEqual([479, 35])
    expect(rows.filter(isMint).map(row => row.caller)).toEqual([
      'reserved user_id in any case / NFKC / zero-width form',
      'project suspended 0 ms earlier on another replica',
    ])
    expect(rows.filter(isUnset).length).toBe(3)
    const open = requested.filter(row => isExpected(row.expected, 200) === undefined)
    expect(open).toEqual([])
  })
})

describeEachBackend('the authorization matrix', (start, backend) => {
  let world: TwoTenants
  let callers: Record<string, Caller>
  beforeAll(async () => {
    world = await startTwoTenants(start)
    callers = await prepareCallers(world)
  })

  const answersTo = async ({ method, path, caller }: MatrixRow) => {
    const makeRequests = callers[caller]
    if (makeRequests === undefined) throw new Error(`nobody knows the caller: ${caller}`)
    const [pattern = '', query] = path.split('?')
    const foreign = query?.replace('<foreign>', world.a.projects[0].id)
    const requests = await makeRequests({ method, pattern, ...(foreign === undefined ? {} : { query: `?${foreign}` }) })
    if (requests.length === 0) throw new Error(`${caller} has nothing to send to ${path}`)
    return await eachOf(requests, async request => ({ request, got: await world.send(request) }), 4)
  }

  const faultsOf = async (row: MatrixRow) => {
    const answers = await answersTo(row)
    return answers
      .filter(({ got }) => isExpected(row.expected, got.status) !== true)
      .map(({ request, got }) => ({ row, path: request.path.slice(0, 200), status: got.status, text: got.text }))
  }

  test('refuses every row that expects a refusal, and nothing at all changes', async () => {
    const before = await dumpRows(world.plane)
    const faults = await eachOf(
      requested.filter(row => !isClaiming(row)),
      faultsOf,
    )
    expect(faults.flat()).toEqual([])
    expect(await dumpRows(world.plane)).toEqual(before)
  })

  test("leaves A's rows alone, byte for byte, whatever a body claims", async () => {
    const ids = idsOf(world.a)
    const before = await dumpRows(world.plane, ids)
    const faults = await eachOf(requested.filter(isClaiming), faultsOf)
    expect(faults.flat()).toEqual([])
    expect(await dumpRows(world.plane, ids)).toEqual(before)
  })

  test('mints for no reserved user, on either address', async () => {
    const [project] = world.b.projects
    const names = ['dashboard-service', 'admin', 'system', 'internal', 'service', 'gateway', 'sentinel', 'sallyport']
    const wide = (name: string) => name.replace(/[a-z]/g, letter => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))
    const hidden = ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u202e', '\u200d'].map(sign => `gate${sign}way`)
    const forms = names.flatMap(name => [name, name.toUpperCase(), wide(name), ` ${name} `, `${name}\u200d`])
    const faults = await eachOf([...forms, ...hidden, 'svc:x', 'SVC:x'], async user_id => {
      const answers = [
        await mint(world.plane, project.apiKey, { user_id }),
        await callHost(world.plane, {
          host: project.host,
          path: '/v1/auth/mint',
          apiKey: project.apiKey,
          body: { user_id },
        }),
      ]
      return answers.map(answer => answer.status).every(status => status === 400) ? [] : [user_id]
    })
    expect(faults.flat()).toEqual([])
  })

  test('mints nothing the moment another copy has suspended the project', async () => {
    const { plane } = world
    const spare = await world.makeSpare()
    const [project] = spare.projects
    let path = plane.baseUrl
    if (backend === 'postgres') {
      const twin = await startProduct({ env: { ...plane.env, BASE_URL: `http://localhost:${plane.product.port}` } })
      onTestFinished(() => twin.stop().then(() => undefined))
      path = twin.baseUrl
    }
    const elsewhere = (suffix: string, credential: string, body?: unknown) =>
      fetch(path + suffix, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const body = { user_id: 'user-1' }
    // Both copies have just verified the key, and might remember.
    expectOk(await mint(plane, project.apiKey, body))
    expect((await elsewhere(mintPath, project.apiKey, body)).status).toBe(200)
    expect((await elsewhere(`/auth/v1/projects/${project.id}/suspend`, spare.owner.session)).status).toBe(200)
    const refused = await mint(plane, project.apiKey, body)
    expect([refused.status, refused.body]).toEqual([401, { error: 'Project is suspended' }])
  })

  const unset = rows.filter(isUnset)
  if (backend === 'sqlite') {
    test('without ADMIN_SECRET makes one, says so, and opens to nothing else', async () => {
      const product = await startProduct({ env: {} })
      onTestFinished(() => product.stop().then(() => undefined))
      for (const { method, path } of unset) {
        for (const value of ['', ' ', 'undefined', 'null']) {
          const url = product.baseUrl + path.replace(/:\w+/, world.a.projects[0].id)
          const headers = { 'x-admin-secret': value, 'content-type': 'application/json' }
          const answer = await fetch(url, {
            method,
            headers,
            ...(method === 'POST' ? { body: '{"enabled":true}' } : {}),
          })
          expect([answer.status, await answer.json()]).toEqual([401, { error: 'Invalid admin secret' }])
        }
      }
      expect(product.stdout() + product.stderr()).toMatch(/admin.secret/i)
    })
  } else {
    test('does not start without ADMIN_SECRET, and says so', async () => {
      const { ADMIN_SECRET: _, ...env } = world.plane.env
      const product = await startProduct({ env, waitForReady: false })
      expect(await product.exitCode).not.toBe(0)
      expect(product.stderr()).toContain('ADMIN_SECRET')
    })
  }
})
