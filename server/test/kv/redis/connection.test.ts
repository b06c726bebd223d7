// Tests the connection to Redis: logins, databases, encryption, invalid replies, and calls that share a round trip.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createEncryptedServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import { StoreUnavailable } from '../../../src/kv/store.ts'
import { selfSigned } from '../../outbound/fixtures.ts'
import { startRedis } from '../../support/redis.ts'
import { roomFor } from '../../support/slowness.ts'
import { createHandClock, createMemoryLog, demandOf, requestOf, seed } from '../stores.ts'

async function startServer(...args: string[]) {
  const server = await startRedis({ args })
  onTestFinished(() => server.stop())
  return server
}

async function open(url: string, options: Partial<Parameters<typeof createRedisStore>[0]> = {}) {
  const { log, lines } = createMemoryLog()
  const store = await createRedisStore({ url, log, startTimeoutMs: 10_000, commandTimeoutMs: 5_000, ...options })
  onTestFinished(() => store.close())
  return { store, lines }
}

const at = (server: { port: number }, login = '', rest = '') => `redis://${login}127.0.0.1:${server.port}${rest}`

async function command(url: string, ...args: string[]): Promise<unknown> {
  const client = createClient({ url })
  await client.connect()
  try {
    return await client.sendCommand(args)
  } finally {
    client.destroy()
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}

describe('the address', () => {
  test('with a password, and a database of its own', async () => {
    const server = await startServer('--requirepass', 'p@ss word')
    const login = ':p%40ss%20word@'
    const { store } = await open(at(server, login, '/3'))
    await store.markSeeded(await store.startFilling())
    expect(await command(at(server, login, '/3'), 'KEYS', '*')).toEqual(['sallyport:epoch'])
    expect(await command(at(server, login), 'KEYS', '*')).toEqual([])
  })

  test('with a user of the access lists, on both connections', async () => {
    const server = await startServer()
    await command(at(server), 'ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all')
    await command(at(server), 'ACL', 'SETUSER', 'default', 'off')
    const [one, two] = [await open(at(server, 'app:secret@')), await open(at(server, 'app:secret@'))]
    const told: unknown[] = []
    two.store.subscribe(change => told.push(change))
    await one.store.putProviderKeys('t', { revision: 1, body: '' })
    await expect.poll(() => told).toEqual([{ kind: 'provider-keys', tenantId: 't', revision: 1 }])
  })

  test.each([
    { login: ':hunter2@', said: /\(WRONGPASS [^)]*\)$/ },
    { login: '', said: /\(NOAUTH [^)]*\)$/ },
  ])('with a login that Redis refuses: $said, and never the password', async ({ login, said }) => {
    const server = await startServer('--requirepass', 'right')
    const failure = await open(at(server, login), { startTimeoutMs: 500 }).catch((error: unknown) => String(error))
    expect(failure).toMatch(said)
    expect(failure).not.toContain('hunter2')
  })

  test('what Redis quotes of a command that it does not know is not said on', async () => {
    const server = await startServer('--rename-command', 'AUTH', '')
    const failure = await open(at(server, ':hunter2@'), { startTimeoutMs: 500 }).catch((error: unknown) =>
      String(error),
    )
    expect(failure).toMatch(/\(ERR unknown command \)$/)
  })

  test.each([
    { given: 'a password where none is asked', login: ':any@', rights: [] },
    { given: 'a user and no password where none is asked', login: 'any@', rights: [] },
    { given: 'a user without the right to PING', login: 'app:secret@', rights: ['~*', '&*', '+@all', '-ping'] },
  ])('$given: all is as usual', async ({ login, rights }) => {
    const server = await startServer()
    if (rights.length > 0) await command(at(server), 'ACL', 'SETUSER', 'app', 'on', '>secret', ...rights)
    const { store } = await open(at(server, login))
    await seed(store, ['project'])
    expect(await store.admit(requestOf())).toMatchObject({ admitted: true })
  })

  test('encrypted: the certificate is verified, and then all is as usual', async () => {
    const server = await startServer()
    const proxy = createEncryptedServer(selfSigned, socket => {
      const inner = connect(server.port, '127.0.0.1')
      for (const end of [socket, inner]) end.on('error', () => undefined)
      socket.pipe(inner).pipe(socket)
    })
    const url = `rediss://localhost:${await listen(proxy)}`
    const refused = await open(url, { startTimeoutMs: 500 }).catch((error: unknown) => String(error))
    expect(refused).toMatch(/\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/)
    const known = getCACertificates('default')
    onTestFinished(() => setDefaultCACertificates(known))
    setDefaultCACertificates([...known, selfSigned.cert])
    const { store } = await open(url)
    await seed(store, ['project'])
    expect(await store.admit(requestOf())).toMatchObject({ admitted: true })
    const body = 'é'.repeat(300_000)
    await store.putKeySet('project', { revision: 1, body })
    expect(await store.findKeySet('project')).toEqual({ revision: 1, body })
  })
})

test('what answers in another language is left, and tried again', async () => {
  let connections = 0
  const port = await listen(
    createServer(socket => {
      connections += 1
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    }),
  )
  const failure = await open(`redis://127.0.0.1:${port}`, { startTimeoutMs: 1_000 }).catch(error => String(error))
  expect(failure).toMatch(/\(Redis sent something other than an answer\)$/)
  expect(connections).toBeGreaterThan(2)
})

test('a server that closes in the middle of an answer fails who waits, at once, and only them', async () => {
  const server = await startServer()
  const cut = { after: Number.POSITIVE_INFINITY }
  const proxy = createServer(socket => {
    const inner = connect(server.port, '127.0.0.1')
    for (const end of [socket, inner]) end.on('error', () => undefined)
    socket.pipe(inner)
    inner.on('data', (bytes: Buffer) => {
      if (bytes.length < cut.after) socket.write(bytes)
      else socket.end(bytes.subarray(0, cut.after))
    })
  })
  const { store, lines } = await open(`redis://127.0.0.1:${await listen(proxy)}`)
  await store.putKeySet('project', { revision: 1, body: 'x'.repeat(3_000) })
  cut.after = 1_000
  const begun = performance.now()
  await expect(store.findKeySet('project')).rejects.toThrow(StoreUnavailable)
  expect(performance.now() - begun).toBeLessThan(roomFor(2_000))
  cut.after = Number.POSITIVE_INFINITY
  const read = () =>
    store.findKeySet('project').then(
      found => found?.body.length,
      () => 'away',
    )
  await expect.poll(read).toBe(3_000)
  expect(lines.map(({ event }) => event)).toEqual(['redis connection lost', 'redis connection is back'])
})

test('a connection that is lost again and again is made anew at once: only what fails makes it wait', async () => {
  const server = await startServer()
  const ends = new Set<Socket>()
  const proxy = createServer(socket => {
    const inner = connect(server.port, '127.0.0.1')
    for (const end of [socket, inner]) end.on('error', () => undefined)
    socket.on('close', () => void ends.delete(socket))
    ends.add(socket)
    socket.pipe(inner).pipe(socket)
  })
  const { store } = await open(`redis://127.0.0.1:${await listen(proxy)}`)
  const begun = performance.now()
  for (let times = 0; times < 10; times++) {
    for (const end of ends) end.destroy()
    const ping = () =>
      store.ping().then(
        () => 'back',
        () => 'away',
      )
    await expect.poll(ping, { interval: 5 }).toBe('away')
    await expect.poll(ping, { interval: 20 }).toBe('back')
  }
  expect(performance.now() - begun).toBeLessThan(roomFor(6_000))
})

test('what was asked before the store closes is answered, also by a script that Redis has forgotten', async () => {
  const server = await startServer()
  const { store } = await open(at(server))
  await seed(store, ['project'])
  await command(at(server), 'SCRIPT', 'FLUSH')
  const asked = store.admit(requestOf())
  await store.close()
  expect(await asked).toMatchObject({ admitted: true })
})

describe('calls that go together', () => {
  const admitMany = (store: Awaited<ReturnType<typeof open>>['store'], projectIds: string[]) =>
    Promise.allSettled(
      projectIds.map(
        async projectId => await store.admit(requestOf({ projectId, projectRequests: 3, tokens: demandOf() })),
      ),
    )

  test('are few calls for many requests, each with its own answer', async () => {
    const server = await startServer()
    const { store } = await open(at(server))
    const projects = Array.from({ length: 20 }, (_, index) => `project-${index}`)
    await seed(store, projects)
    await command(at(server), 'CONFIG', 'RESETSTAT')
    // The first project gets five requests. Its limit admits three of them.
    const asked = [...projects, 'project-0', 'project-0', 'project-0', 'project-0']
    const answers = await admitMany(store, asked)
    const remaining = answers.map(answer => {
      if (answer.status === 'rejected') throw answer.reason
      return answer.value.admitted ? answer.value.requests.remaining : answer.value.reason
    })
    expect(remaining).toEqual([...projects.map(() => 2), 1, 0, 'project_requests', 'project_requests'])
    const stats = String(await command(at(server), 'INFO', 'commandstats'))
    expect(Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1])).toBe(2)
  })

  test('what fails for one of them fails for no other', async () => {
    const server = await startServer()
    const { store, lines } = await open(at(server))
    await seed(store, ['one', 'two', 'three'])
    await command(at(server), 'SET', 'sallyport:held:{two}', 'no hash')
    const answers = await admitMany(store, ['one', 'two', 'three'])
    expect(answers).toMatchObject([
      { value: { admitted: true } },
      { reason: { code: 'WRONGTYPE' } },
      { value: { admitted: true } },
    ])
    await command(at(server), 'SET', 'sallyport:requests:{three}', 'no window')
    expect(await admitMany(store, ['three', 'one'])).toMatchObject([
      { reason: { code: 'ERR' } },
      { value: { admitted: true } },
    ])
    const settled = ['one', 'two', 'three'].map(async projectId => await store.settle(projectId, 'unknown', 3))
    expect(await Promise.allSettled(settled)).toMatchObject([
      { value: 'unknown' },
      { reason: { code: 'WRONGTYPE' } },
      { value: 'unknown' },
    ])
    expect(lines.map(({ event, fields }) => [event, fields])).toEqual([
      ['redis rejected a command', { code: 'WRONGTYPE', count: 1 }],
      ['redis rejected a command', { code: 'ERR', count: 1 }],
    ])
  })

  test('a reservation that cannot be read is charged no more, and keeps no other from its end', async () => {
    const server = await startServer()
    const clock = createHandClock(1_790_000_000_000)
    const { store } = await open(at(server), { clock: clock.now })
    await seed(store, ['project', 'other'])
    await command(at(server), 'HSET', 'sallyport:held:{project}', 'dam', 'broken')
    const damaged = requestOf({ requestId: 'dam', projectTokens: 100, tokens: demandOf() })
    for (let times = 0; times < 2; times++) await expect(store.admit(damaged)).rejects.toMatchObject({ code: 'ERR' })
    const whole = requestOf({ projectTokens: 100, tokens: demandOf() })
    expect(await store.admit(whole)).toMatchObject({ requests: { remaining: 999 }, tokens: { remaining: 70 } })
    expect(await store.admit(requestOf({ projectId: 'other', tokens: demandOf() }))).toMatchObject({ admitted: true })
    clock.advance(3_600_000)
    expect(await store.sweepReservations(['project', 'other'])).toBe(2)
  })

  test('a count that is no number any more gives nobody tokens', async () => {
    const server = await startServer()
    const clock = createHandClock(1_790_000_000_000)
    const { store } = await open(at(server), { clock: clock.now })
    await seed(store, ['project'])
    const held = requestOf({ tokens: demandOf() })
    await store.admit(held)
    await command(
      at(server),
      'HSET',
      `sallyport:spend:{project}:${Math.floor(clock.now() / 86_400_000)}`,
      'spent',
      '1e30',
    )
    await store.settle('project', held.requestId, 3)
    expect(await store.admit(requestOf({ tokens: demandOf() }))).toMatchObject({ reason: 'tokens_spent' })
  })

  test('what is reserved for a user is settled for the same, whatever the name holds', async () => {
    const server = await startServer()
    const { store } = await open(at(server))
    await seed(store, ['project'])
    const limited = { userTokens: 100, tokens: demandOf() }
    for (const userId of ['a\0b', 'a b', 'a\nb', '%d %s', 'é'.repeat(200)]) {
      const request = requestOf({ userId, ...limited })
      await store.admit(request)
      await store.settle('project', request.requestId, 40)
      expect(await store.admit(requestOf({ userId, ...limited }))).toMatchObject({ tokens: { remaining: 30 } })
    }
  })

  test('one whose clock fails keeps nothing else from leaving', async () => {
    const server = await startServer()
    let isBroken = false
    const clock = () => {
      if (isBroken) throw new Error('no time')
      return 1_790_000_000_000
    }
    const { store } = await open(at(server), { clock })
    await seed(store, ['project'])
    isBroken = true
    await expect(store.admit(requestOf())).rejects.toThrow('no time')
    isBroken = false
    expect(await store.admit(requestOf())).toMatchObject({ admitted: true })
  })

  test('are asked at the time at which they leave', async () => {
    const server = await startServer()
    const clock = createHandClock(1_790_000_000_000)
    const { store } = await open(at(server), { clock: clock.now })
    await seed(store, ['project'])
    expect(await store.admit(requestOf({ projectRequests: 1 }))).toMatchObject({ admitted: true })
    clock.advance(60_000)
    expect(await store.admit(requestOf({ projectRequests: 1 }))).toMatchObject({ admitted: true })
  })
})
