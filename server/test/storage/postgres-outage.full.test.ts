// PostgreSQL away, slow, full or frozen: what callers see, and that all is well once it is back.

import { once } from 'node:events'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql as text } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { StartupProblem } from '../../src/domain/startup-problem.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { transact } from '../../src/storage/transact.ts'
import { createDatabase, startPostgres, type TestServer } from '../support/postgres.ts'
import { withFreePort } from '../support/server-process.ts'
import { roomFor } from '../support/slowness.ts'
import { openDistributed } from './fixtures.ts'

const unavailable = { code: 'database_unavailable' }

function addRevision(sql: Kysely<Schema>, name: string): Promise<unknown> {
  return sql.insertInto('revisions').values({ name, revision: 1 }).execute()
}

async function revisionsIn(sql: Kysely<Schema>): Promise<string[]> {
  const rows = await sql.selectFrom('revisions').select('name').orderBy('name').execute()
  return rows.map(row => row.name)
}

describe('a PostgreSQL that stops', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startPostgres({ durable: true })
  })
  afterAll(() => server.stop())

  it('is used again after a restart, with its idle connections gone', async () => {
    const { sql, ping } = await openDistributed(await createDatabase(server.url))
    await Promise.all(Array.from({ length: 5 }, (_, index) => addRevision(sql, `before ${index}`)))
    await server.restart()
    await ping()
    await Promise.all(Array.from({ length: 5 }, (_, index) => addRevision(sql, `after ${index}`)))
    expect(await revisionsIn(sql)).toHaveLength(10)
  })

  it('refuses as unavailable while it is down, and no row that was acknowledged is missing afterwards', async () => {
    const { sql, ping } = await openDistributed(await createDatabase(server.url))
    const acknowledged: string[] = []
    const faults: unknown[] = []
    let isOver = false
    const writing = Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; !isOver; index++) {
        const name = `${writer}-${index}`
        await addRevision(sql, name).then(
          () => acknowledged.push(name),
          (error: unknown) => faults.push(error),
        )
        await sleep(2)
      }
    })
    await sleep(100)
    await server.kill()
    await expect(ping()).rejects.toMatchObject(unavailable)
    await server.restart()
    await ping()
    await sleep(50)
    isOver = true
    await Promise.all(writing)
    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toMatchObject(unavailable)
    const present = new Set(await revisionsIn(sql))
    expect(acknowledged.filter(name => !present.has(name))).toEqual([])
  })

  it('ends a transaction that it breaks between two statements, as unavailable and with nothing written', async () => {
    const { sql, ping } = await openDistributed(await createDatabase(server.url))
    const broken = transact(sql, async trx => {
      await addRevision(trx, 'half')
      await server.kill()
      await sleep(50)
      await addRevision(trx, 'other half')
    })
    await expect(broken).rejects.toMatchObject(unavailable)
    await server.restart()
    await ping()
    expect(await revisionsIn(sql)).toEqual([])
  })
})

describe('a PostgreSQL that is slow', () => {
  const address = () => createDatabase(inject('postgresUrl'))

  it('has a limit for a statement, and its connection stays in use', async () => {
    const { sql } = await openDistributed(await address(), { statementTimeoutMs: 200, poolSize: 1 })
    const pid = () =>
      text<{ pid: number }>`select pg_backend_pid() as pid`.execute(sql).then(({ rows }) => rows[0]?.pid)
    const before = await pid()
    await expect(text`select pg_sleep(20)`.execute(sql)).rejects.toMatchObject(unavailable)
    expect(await pid()).toBe(before)
  })

  it('has a limit for a transaction that does nothing', async () => {
    const { sql } = await openDistributed(await address())
    const { rows } = await text`show idle_in_transaction_session_timeout`.execute(sql)
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }])
  })

  it('has a limit for waiting for a connection', async () => {
    const { sql, ping } = await openDistributed(await address(), { poolSize: 2, connectTimeoutMs: 3000 })
    const release = Promise.withResolvers<void>()
    const held = [1, 2].map(() => Promise.withResolvers<void>())
    const holders = held.map(({ resolve }) =>
      transact(sql, () => {
        resolve()
        return release.promise
      }),
    )
    await Promise.all(held.map(({ promise }) => promise))
    await expect(ping()).rejects.toMatchObject(unavailable)
    release.resolve()
    await Promise.all(holders)
    await ping()
  })

  it('is given up when it says nothing at all, and used again afterwards', async () => {
    const proxy = await startProxy(new URL(inject('postgresUrl')))
    const url = new URL(await address())
    url.port = String(proxy.port)
    const { sql, ping } = await openDistributed(url.href, { statementTimeoutMs: 100, connectTimeoutMs: 5000 })
    await ping()
    proxy.freeze()
    const start = performance.now()
    const attempt = transact(sql, trx => addRevision(trx, 'lost'))
    await expect(attempt).rejects.toMatchObject(unavailable)
    expect(performance.now() - start).toBeLessThan(roomFor(8000))
    proxy.thaw()
    await ping()
    await addRevision(sql, 'kept')
    expect(await revisionsIn(sql)).toContain('kept')
  })

  it('breaks a deadlock, and both transactions come through', async () => {
    const { sql } = await openDistributed(await address())
    await addRevision(sql, 'a')
    await addRevision(sql, 'b')
    let attempts = 0
    // Each of the first two attempts holds its first row before either asks for its second one.
    let holding = 0
    const bothHold = Promise.withResolvers<void>()
    const raise = (names: string[]) =>
      transact(sql, async trx => {
        const isFirst = ++attempts <= 2
        for (const name of names) {
          await trx
            .updateTable('revisions')
            .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
            .where('name', '=', name)
            .execute()
          if (!isFirst) continue
          if (++holding === 2) bothHold.resolve()
          await bothHold.promise
        }
      })
    await Promise.all([raise(['a', 'b']), raise(['b', 'a'])])
    expect(attempts).toBeGreaterThan(2)
    const rows = await sql.selectFrom('revisions').select('revision').execute()
    expect(rows).toEqual([{ revision: 3 }, { revision: 3 }])
  })

  it('is not asked for ever when a race is lost each time', async () => {
    const { sql } = await openDistributed(await address())
    let attempts = 0
    const attempt = transact(sql, async trx => {
      attempts++
      await text.raw("do $$ begin raise exception 'lost' using errcode = '40001'; end $$").execute(trx)
    })
    await expect(attempt).rejects.toMatchObject({ code: '40001' })
    expect(attempts).toBe(5)
  })

  /** Passes bytes on, until it is told to swallow them. */
  async function startProxy(target: URL): Promise<{ port: number; freeze: () => void; thaw: () => void }> {
    let isFrozen = false
    const sockets = new Set<Socket>()
    const join = (from: Socket, to: Socket): void => {
      sockets.add(from)
      from
        .on('data', bytes => isFrozen || to.write(bytes))
        .on('close', () => to.destroy())
        .on('error', () => to.destroy())
    }
    const server = createServer(client => {
      const upstream = connectTo(Number(target.port), target.hostname)
      join(client, upstream)
      join(upstream, client)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const place = server.address()
    if (place === null || typeof place === 'string') throw new Error('no port')
    return { port: place.port, freeze: () => (isFrozen = true), thaw: () => (isFrozen = false) }
  }
})

describe('a PostgreSQL that cannot be used at the start', () => {
  async function refusalOf(url: string): Promise<string> {
    const error: unknown = await openDistributed(url).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(StartupProblem)
    expect(error).not.toBeInstanceOf(Refusal)
    const { message } = error as StartupProblem
    expect(message).toMatch(/^[^\n]+\.$/)
    return message
  }

  it('is named without its password when it is not there', async () => {
    const port = await withFreePort(async candidate => candidate)
    const words = await refusalOf(`postgres://someone:hidden@127.0.0.1:${port}/gateway`)
    expect(words).toContain(`127.0.0.1:${port}/gateway cannot be reached`)
    expect(words).not.toContain('hidden')
  })

  it('is named without its password when it refuses the login', async () => {
    const url = new URL(inject('postgresUrl'))
    url.password = 'hidden'
    const words = await refusalOf(url.href)
    expect(words).toContain('password authentication failed')
    expect(words).not.toContain('hidden')
  })

  it('is refused when it cannot keep all text', async () => {
    const { sql } = await openDistributed(await createDatabase(inject('postgresUrl')))
    const name = `latin_${process.pid}`
    await text.raw(`create database ${name} encoding 'LATIN1' template template0`).execute(sql)
    const url = new URL(inject('postgresUrl'))
    url.pathname = `/${name}`
    expect(await refusalOf(url.href)).toContain('UTF8')
  })
})
