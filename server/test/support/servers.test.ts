// Tests the test servers themselves: they are real, they keep their data after a kill, and they stop.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { createClient } from 'redis'
import { describe, expect, inject, test } from 'vitest'
import { createDatabase, startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { startProcess } from './server-process.ts'

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('PostgreSQL', () => {
  test('the run has one, and each test a database of its own', async () => {
    const [first, second] = await Promise.all([
      createDatabase(inject('postgresUrl')),
      createDatabase(inject('postgresUrl')),
    ])
    expect(first).not.toBe(second)
    await query(first, 'create table only_here (id int)')
    await expect(query(second, 'select * from only_here')).rejects.toThrow('does not exist')
  })

  test('one of its own keeps its address and data over kill and restart', async () => {
    const server = await startPostgres({ durable: true })
    try {
      expect(await query(server.url, 'show fsync')).toEqual([{ fsync: 'on' }])
      await query(server.url, 'create table kept (id int); insert into kept values (7)')
      const firstPid = server.pid
      await server.kill()
      await expect(query(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
      await server.restart()
      expect(server.pid).not.toBe(firstPid)
      expect(await query(server.url, 'select id from kept')).toEqual([{ id: 7 }])
    } finally {
      await server.stop()
    }
    expect(() => process.kill(server.pid, 0)).toThrow('ESRCH')
  })
})

describe('Redis', () => {
  test('the run has one that evicts nothing', async () => {
    const client = await createClient({ url: inject('redisUrl') }).connect()
    expect(await client.configGet('maxmemory-policy')).toEqual({ 'maxmemory-policy': 'noeviction' })
    expect(await client.configGet('save')).toEqual({ save: '' })
    client.destroy()
  })

  test('one of its own keeps its address over kill and restart, and forgets', async () => {
    const server = await startRedis()
    try {
      const before = await createClient({ url: server.url }).connect()
      await before.set('key', 'value')
      before.on('error', () => undefined)
      before.destroy()
      await server.kill()
      await server.restart()
      const after = await createClient({ url: server.url }).connect()
      expect(await after.get('key')).toBeNull()
      after.destroy()
    } finally {
      await server.stop()
    }
  })
})

test.each([
  ['is ended', (parent: ChildProcess) => parent.kill('SIGTERM')],
  ['is left alone by the main process', (parent: ChildProcess) => parent.disconnect()],
])('what a test has started ends with the process of the test, when it %s', async (_how, end) => {
  const source = join(import.meta.dirname, 'server-process.ts')
  const program = `
    const { startProcess } = await import(${JSON.stringify(source)})
    const child = await startProcess({ command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] })
    process.send(child.pid)`
  const parent = fork('-', [], { execArgv: ['--input-type=module', '-e', program] })
  const [pid] = (await once(parent, 'message')) as [number]
  process.kill(pid, 0)
  end(parent)
  await once(parent, 'exit')
  await expect.poll(() => isThere(pid)).toBe(false)
})

/** False for a zombie: a process that has ended, but whose parent has not read its exit code. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('a process that ends before it is ready is an error that shows what it said', async () => {
  const child = await startProcess({
    command: process.execPath,
    args: ['-e', 'console.error("no luck"); process.exit(3)'],
  })
  expect(await child.exitCode).toBe(3)
  expect(child.stderr()).toContain('no luck')
})
