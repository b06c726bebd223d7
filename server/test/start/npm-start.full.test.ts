// The embedded product as the README starts it: how long that takes, what it says, what it leaves on the disk, and the
// memory that it keeps. A file of its own, since the runtime takes a minute to give back what a start needed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort, startProcess, waitUntilReady } from '../support/server-process.ts'
import { roomFor } from '../support/slowness.ts'
import { statusOf } from './begin-request.ts'
import { contentsOf, temporaryFolder } from './refusal.ts'

/** As the README says, from the command to the first request that is answered as ready. */
async function startWithNpm(dataDir: string) {
  const port = await findFreePort()
  const begun = performance.now()
  const npm = await startProcess({
    command: 'npm',
    args: ['start', '--silent'],
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH, HOME: temporaryFolder(), DATA_DIR: dataDir, PORT: String(port) },
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await waitUntilReady(npm, async () => (await statusOf(`${baseUrl}/readyz`)) === 200, 30_000)
  const ms = performance.now() - begun
  const server = childOf(npm.pid)
  onTestFinished(async () => {
    if (npm.isRunning()) process.kill(server ?? npm.pid, 'SIGKILL')
    await npm.exitCode
  })
  return { npm, baseUrl, server, ms }
}

/** The server itself: `exec` leaves no shell between it and npm. Null where the system does not tell. */
function childOf(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const [child = '', ...others] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  expect(others).toEqual([])
  expect(readFileSync(`/proc/${child}/cmdline`, 'utf8')).toContain('server/dist/code/main.js')
  return Number(child)
}

/** Starts on a calm machine settle between 135 and 146 MB. */
const maxResidentMb = 150

/**
 * Waits until the runtime has collected what the start left behind, which it does within a minute. Null where the
 * system does not tell.
 */
async function settledMemory(pid: number | null): Promise<number | null> {
  if (pid === null) return null
  await expect.poll(() => residentMemory(pid), { timeout: 120_000, interval: 500 }).toBeLessThan(maxResidentMb)
  return residentMemory(pid)
}

/** In the unit of the bench: megabytes of 1,048,576 bytes. */
function residentMemory(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

test('npm start, twice: in time, small, told once, for the owner alone', async () => {
  const folder = join(temporaryFolder(), 'data')
  const first = await startWithNpm(folder)
  await expect.poll(first.npm.stdout).toContain('Password')
  const firstMb = await settledMemory(first.server)
  expect(await first.npm.end('SIGTERM')).toBe(0)
  const second = await startWithNpm(folder)
  const secondMb = await settledMemory(second.server)
  console.info(
    `first start ${first.ms.toFixed(0)} ms, ${firstMb?.toFixed(0)} MB; second start ${second.ms.toFixed(0)} ms, ${secondMb?.toFixed(0)} MB`,
  )

  const said = first.npm.stdout()
  expect(said).toContain(`Sallyport serves http://localhost:${new URL(first.baseUrl).port} (embedded).\n`)
  expect(said).toContain('First dashboard user: admin@localhost\n')
  const password = readFileSync(join(folder, 'initial-password'), 'utf8').trim()
  expect(password.length).toBeGreaterThanOrEqual(12)
  expect(said).toContain(`: ${password}\n`)
  const everything = said + first.npm.stderr() + second.npm.stdout() + second.npm.stderr()
  expect(everything.split(password)).toHaveLength(2)

  const { '.': folderMode, ...files } = contentsOf(folder)
  expect(folderMode).toBe('700')
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['sallyport.db', 'initial-password', 'encryption-key']))
  for (const [name, description] of Object.entries(files)) expect(description, name).toMatch(/^(600 .+|700 )$/)

  expect(first.ms).toBeLessThan(roomFor(10_000))
  expect(second.ms).toBeLessThan(roomFor(5_000))
})

test("npm start passes signals on, a terminal's two as well", async () => {
  for (const signalsGroup of [false, true]) {
    const { npm, server, baseUrl } = await startWithNpm(temporaryFolder())
    process.kill(npm.pid, 'SIGINT')
    // A terminal signals the whole group: npm passes its own on besides.
    if (signalsGroup && server !== null) process.kill(server, 'SIGINT')
    // What npm passes on late meets a process whose work is done: the runtime no longer takes signals.
    expect(signalsGroup ? [0, null] : [0], npm.stderr()).toContain(await npm.exitCode)
    expect(npm.stderr()).toContain('"event":"stopping"')
    if (server !== null) expect(() => process.kill(server, 0)).toThrow('ESRCH')
    await expect(fetch(`${baseUrl}/healthz`)).rejects.toThrow()
  }
})
