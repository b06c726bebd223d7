// What must hold whoever comes first: the free plan's limit, keys against suspension, rotation and suspension against
// the mint, switches against each other; also between two copies on one database.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createRedisStore } from '../../src/kv/redis/store.ts'
import { createLog } from '../../src/log/log.ts'
import { describeEachBackend, type ManagementHarness } from '../support/management-harness.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { expectOk, type Minted, mint, mintPath, times } from './requests.ts'

const rounds = inject('prove') ? 10 : 2

interface Attempt {
  sentAt: number
  status: number
}

/** Mints one after the other in several lanes until told to end; remembers when each was sent. */
function keepMinting(addresses: readonly string[], apiKey: string, lanes: number) {
  const attempts: Attempt[] = []
  let isEnding = false
  const run = async (address: string) => {
    while (!isEnding) {
      const sentAt = performance.now()
      const response = await fetch(`${address}${mintPath}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: '{"user_id":"u"}',
      })
      await response.arrayBuffer()
      attempts.push({ sentAt, status: response.status })
    }
  }
  const running = Array.from({ length: lanes }, (_, lane) => run(addresses[lane % addresses.length] ?? ''))
  return {
    attempts,
    /** Resolves once so many that answer to `isWanted` have been answered, however slow the machine is. */
    async reach(count: number, isWanted: (attempt: Attempt) => boolean) {
      await expect.poll(() => attempts.filter(isWanted).length, { interval: 5 }).toBeGreaterThan(count)
    },
    async end() {
      isEnding = true
      await Promise.all(running)
    },
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describeEachBackend('at the same time', (start, backend) => {
  let plane: ManagementHarness
  let second: Product | null = null
  let addresses: string[]
  beforeAll(async () => {
    plane = await start({ env: { MINT_RPM: '1000000' }, own: true })
    // SQLite is one process's; on PostgreSQL a second copy stands beside the first.
    if (backend === 'postgres') second = await startProduct({ env: plane.env })
    addresses = second === null ? [plane.baseUrl] : [plane.baseUrl, second.baseUrl]
  })
  afterAll(async () => {
    await second?.stop()
  })

  const post = (path: string, body?: unknown, address = plane.baseUrl) =>
    fetch(`${address}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${plane.owner.session}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then(async response => ({ status: response.status, body: (await response.json()) as Record<string, string> }))
  const elsewhere = (index: number) => addresses[index % addresses.length] ?? ''
  const makeProject = async () => plane.makeProject((await plane.makeTenant({ plan: 'pro' })).id)

  test('50 project creates on a free tenant leave exactly 3', async () => {
    for (let round = 0; round < rounds; round++) {
      const tenant = await plane.makeTenant()
      const path = `/auth/v1/tenants/${tenant.id}/projects`
      const answers = await times(50, index => post(path, { name: `Project ${index}` }, elsewhere(index)))
      expect(answers.filter(answer => answer.status === 201)).toHaveLength(3)
      expect(answers.filter(answer => answer.status === 403)).toHaveLength(47)
      const rows = await plane.query('select slug from projects where tenant_id = ?', [tenant.id])
      expect(rows).toHaveLength(3)
      const settings = 'select s.id from settings s join projects p on p.id = s.project_id where p.tenant_id = ?'
      expect(await plane.query(settings, [tenant.id])).toHaveLength(3)
    }
  })

  test('a suspension leaves no key alive, whichever creates and rotations ran beside it', async () => {
    for (let round = 0; round < rounds; round++) {
      const project = await makeProject()
      const old = await times(4, () => plane.makeApiKey(project.id))
      const path = `/auth/v1/projects/${project.id}`
      const creates = times(8, index => post(`${path}/api-keys`, {}, elsewhere(index)))
      const rotations = times(4, index =>
        post(`${path}/api-keys/${old[index]?.id}/rotate`, undefined, elsewhere(index)),
      )
      await pause(round * 15)
      const suspended = await post(`${path}/suspend`, undefined, elsewhere(round))
      expect(suspended.status).toBe(200)
      for (const { status, body } of [...(await creates), ...(await rotations)]) {
        expect([200, 201, 409]).toContain(status)
        if (status === 409) expect(body).toEqual({ error: 'Project is suspended' })
      }
      const alive = 'select id from api_keys where project_id = ? and revoked_at is null'
      expect(await plane.query(alive, [project.id])).toEqual([])
    }
  })

  test('of many rotations of one key one wins, and one key is left', async () => {
    for (let round = 0; round < rounds; round++) {
      const project = await makeProject()
      const key = await plane.makeApiKey(project.id)
      const paths = [`/auth/v1/api-keys/${key.id}/rotate`, `/auth/v1/projects/${project.id}/api-keys/${key.id}/rotate`]
      const answers = await times(10, index => post(paths[index % 2] ?? '', undefined, elsewhere(index)))
      expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array(9).fill(404)])
      const alive = await plane.query('select id from api_keys where project_id = ? and revoked_at is null', [
        project.id,
      ])
      expect(alive).toEqual([{ id: answers.find(answer => answer.status === 200)?.body['id'] }])
    }
  })

  test.each(['rotate', 'revoke', 'suspend'])('no token for a request sent after the %s answered', async how => {
    for (let round = 0; round < rounds; round++) {
      const project = await makeProject()
      const key = await plane.makeApiKey(project.id)
      const minting = keepMinting(addresses, key.api_key, 6)
      await minting.reach(0, attempt => attempt.status === 200)
      const path = how === 'suspend' ? 'suspend' : `api-keys/${key.id}/${how}`
      const ended = await post(`/auth/v1/projects/${project.id}/${path}`, undefined, elsewhere(round))
      const endedAt = performance.now()
      expect(ended.status).toBe(200)
      await minting.reach(5, attempt => attempt.sentAt > endedAt)
      await minting.end()
      const after = minting.attempts.filter(attempt => attempt.sentAt > endedAt)
      expect(after.map(attempt => attempt.status)).toEqual(after.map(() => 401))
      expect(minting.attempts.filter(attempt => ![200, 401].includes(attempt.status))).toEqual([])
    }
  })

  describe('switches end in the state of the last revision, in the database, the status and the store', () => {
    let projects: string[]
    let set = 0
    beforeAll(async () => {
      const tenant = await plane.makeTenant({ plan: 'pro' })
      projects = (await times(24, () => plane.makeProject(tenant.id))).map(project => project.id).sort()
    })

    async function switchTo(place: string, enabled: boolean, index: number): Promise<void> {
      const response = await fetch(`${elsewhere(index)}/v1/admin/killswitch/${place}`, {
        method: 'POST',
        headers: { 'x-admin-secret': plane.adminSecret, 'content-type': 'application/json' },
        body: JSON.stringify({ enabled }),
      })
      expect(response.status).toBe(200)
      set++
    }

    async function readEverywhere(): Promise<Switches> {
      const path = '/v1/admin/killswitch/status'
      const status = expectOk<Switches>(await plane.call('GET', path, { adminSecret: plane.adminSecret }))
      const on = "select target_id from kill_switches where scope = 'project' and enabled = 1 order by target_id"
      expect(status.projects).toEqual((await plane.query<{ target_id: string }>(on)).map(row => row.target_id))
      const [row] = await plane.query<{ revision: number }>(
        "select revision from revisions where name = 'kill-switches'",
      )
      expect(Number(row?.revision)).toBe(set)
      if (plane.redis !== null) {
        expect(await readStoredSwitches(plane.redis.url)).toEqual({ ...status, revision: set })
      }
      return status
    }

    test('each set once', async () => {
      for (let round = 0; round < rounds; round++) {
        for (const enabled of [true, false]) {
          await times(24, index => switchTo(`project/${projects[index]}`, enabled, index))
          expect((await readEverywhere()).projects).toEqual(enabled ? projects : [])
        }
      }
    })

    test('a few set by many', async () => {
      for (let round = 0; round < rounds; round++) {
        const places = ['global', ...projects.slice(0, 3).map(id => `project/${id}`)]
        await times(40, index => switchTo(places[index % 4] ?? '', Math.random() < 0.5, index))
        await readEverywhere()
      }
    })
  })

  test('mints of one project all hold their own token', async () => {
    const key = await plane.makeApiKey((await makeProject()).id)
    const answers = await times(60, () => mint(plane, key.api_key))
    const tokens = answers.map(answer => expectOk<Minted>(answer).access_token)
    expect(new Set(tokens).size).toBe(60)
  })
})

interface Switches {
  global: boolean
  tenants: string[]
  projects: string[]
}

async function readStoredSwitches(url: string) {
  const store = await createRedisStore({ url, log: createLog({ level: 'silent' }) })
  try {
    return await store.findKillSwitches()
  } finally {
    await store.close()
  }
}

describe('the lanes of the test', () => {
  test('would see a token that comes late', async () => {
    // A mint that goes on forever is what the races above must be able to catch.
    const { createServer } = await import('node:http')
    const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const minting = keepMinting([`http://127.0.0.1:${address.port}`], 'k', 2)
    await minting.reach(0, attempt => attempt.status === 200)
    const endedAt = performance.now()
    await minting.reach(0, attempt => attempt.sentAt > endedAt && attempt.status === 200)
    await minting.end()
    server.close()
  })
})
