// First mints whose key is revoked, rotated or suspended during the slow hash: the hash waits until that has happened.
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type InProcess, startInProcess } from '../../../support/management-in-process.ts'
import { createDatabase } from '../../../support/postgres.ts'

const databases = {
  sqlite: async () => ({}),
  postgres: async () => ({ databaseUrl: await createDatabase(inject('postgresUrl')) }),
}

/** The management plane; its slow hashes of API keys wait for `release`. */
async function startHeld(database: keyof typeof databases) {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const plane = await startInProcess(
    {},
    {
      ...(await databases[database]()),
      hold: real => ({
        ...real,
        async verify(hash, password) {
          if (password.startsWith('service_sk_')) {
            begun.resolve()
            await released.promise
          }
          return await real.verify(hash, password)
        },
      }),
    },
  )
  onTestFinished(async () => {
    released.resolve()
    await plane.stop()
  })
  return { plane, begun: begun.promise, release: released.resolve }
}

async function makeKey({ call }: InProcess, token: string): Promise<Key> {
  const make = async (path: string, body: object) => (await call('POST', path, { token, body })).body
  const tenant = await make('/auth/v1/tenants', { name: 'Tenant' })
  const project = await make(`/auth/v1/tenants/${tenant['id']}/projects`, { name: 'Project' })
  const key = await make(`/auth/v1/projects/${project['id']}/api-keys`, {})
  return { project: `/auth/v1/projects/${project['id']}`, id: String(key['id']), plaintext: String(key['api_key']) }
}

interface Key {
  id: string
  project: string
  plaintext: string
}

const ends: [string, { method: string; path: (key: Key) => string; error: string }][] = [
  ['revoked', { method: 'DELETE', path: key => `/auth/v1/api-keys/${key.id}`, error: 'API key revoked' }],
  ['rotated', { method: 'POST', path: key => `/auth/v1/api-keys/${key.id}/rotate`, error: 'API key revoked' }],
  ['suspended', { method: 'POST', path: key => `${key.project}/suspend`, error: 'Project is suspended' }],
]

describe.each(['sqlite', 'postgres'] as const)('a first mint on %s', database => {
  test.each(ends)('gets no token if its key is %s during the slow hash', async (_how, { method, path, error }) => {
    const { plane, begun, release } = await startHeld(database)
    const token = await plane.signIn()
    const key = await makeKey(plane, token)
    const minting = plane.call('POST', '/auth/v1/auth/mint', { token: key.plaintext, body: { user_id: 'user-1' } })
    await begun
    expect((await plane.call(method, path(key), { token })).status).toBe(200)
    release()
    expect(await minting).toMatchObject({ status: 401, body: { error } })
  })
})
