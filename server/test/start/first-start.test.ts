// The first start: no request is answered before the first user exists, in one process and in several.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createWorld } from '../product/distributed-world.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { temporaryFolder } from './refusal.ts'

const credentials = { email: 'owner@example.com', password: 'correct horse battery staple' }
const bootstrap = { BOOTSTRAP_EMAIL: credentials.email, BOOTSTRAP_PASSWORD: credentials.password }

async function begin(env: Record<string, string>): Promise<Product> {
  const product = await startProduct({ env, waitForReady: false })
  onTestFinished(() => product.kill())
  return product
}

const body = JSON.stringify(credentials)
const login = [
  'POST /auth/v1/sessions HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  'Connection: close',
  '',
  body,
].join('\r\n')

/**
 * The status that a login gets, or null where nobody listens. Sent with the connection itself, to come as early as can
 * be.
 */
async function signIn(port: number): Promise<number | null> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket
    .on('error', () => undefined)
    .on('data', (chunk: string) => {
      text += chunk
    })
  socket.write(login)
  await new Promise(resolve => socket.once('close', resolve))
  return text === '' ? null : Number(text.split(' ')[1])
}

/** What the very first login that reaches the product is answered. */
async function firstLogin(product: Product): Promise<number> {
  let isGone = false
  void product.exitCode.then(() => {
    isGone = true
  })
  for (;;) {
    const status = await signIn(product.port)
    if (status !== null) return status
    if (isGone) throw new Error(`ended before it listened:\n${product.stderr()}`)
    await sleep(3)
  }
}

test('embedded: the first login with the right password is answered 200', async () => {
  const product = await begin({ DATA_DIR: temporaryFolder(), ...bootstrap })
  expect(await firstLogin(product)).toBe(200)
})

test('three replicas at once on an empty database: the first login at each is answered 200', async () => {
  const world = await createWorld()
  const replicas = await Promise.all([1, 2, 3].map(() => begin({ ...world.env, ...bootstrap })))
  expect(await Promise.all(replicas.map(firstLogin))).toEqual([200, 200, 200])
})

test('a replica that cannot make the first user yet does not listen', async () => {
  const world = await createWorld()
  // Makes the schema alone: a worker makes no user.
  const worker = await world.start({ ROLE: 'worker' })
  await worker.stop()
  const holder = await world.database.connect()
  onTestFinished(() => holder.release())
  await holder.query('begin')
  await holder.query('lock table users in access exclusive mode')
  const replica = await begin(world.env)
  const waiting = "select pid from pg_locks where relation = 'users'::regclass and not granted"
  await expect.poll(async () => (await world.database.query(waiting)).rows).toHaveLength(1)
  expect(await signIn(replica.port)).toBeNull()
  await holder.query('rollback')
  expect(await firstLogin(replica)).toBe(200)
})
