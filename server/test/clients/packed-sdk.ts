// The SDK as it is published: packed, installed offline in a folder of its own, and run there by a runtime.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClientStage, startClientStage } from './client-stage.ts'

const checkout = join(import.meta.dirname, '../../..')

export interface PackedSdk {
  /** Where it is installed. */
  folder: string
  tarball: Buffer
  remove(): void
}

/** Without blocking the event loop: a client that does not notice meanwhile that a connection ended would use it. */
export async function installPackedSdk(): Promise<PackedSdk> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-sdk-'))
  const npm = async (...args: string[]) => (await promisify(execFile)('npm', args, { cwd: folder })).stdout
  const [packed] = JSON.parse(await npm('pack', join(checkout, 'sdk'), '--json')) as { filename: string }[]
  const path = join(folder, packed?.filename ?? '')
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await npm('install', '--offline', '--no-audit', '--no-fund', path)
  copyFileSync(join(import.meta.dirname, 'sdk-program.mjs'), join(folder, 'program.mjs'))
  return { folder, tarball: readFileSync(path), remove: () => rmSync(folder, { recursive: true }) }
}

/** Runs a program to its end; its output is in the error when it fails. */
export async function run(command: string, args: string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${out}${errors}`)
  return out
}

/**
 * The test of one runtime: the installed package mints, completes, manages and reports errors against the real gateway.
 * `runArgs` are the runtime's arguments before the program.
 */
export function testRuntime(findRuntime: () => string | null, runArgs: string[] = []): void {
  let stage: ClientStage
  let sdk: PackedSdk
  beforeAll(async () => {
    sdk = await installPackedSdk()
    stage = await startClientStage()
  })
  afterAll(async () => {
    sdk?.remove()
    await stage?.end()
  })

  test('the installed package works', async () => {
    stage.says('openai', { text: ['Grüße, ', '世界'] })
    const { baseURL, apiKey } = stage.projects.openai
    const baseUrl = baseURL.replace(/\/v1$/, '')
    const output = await run(findRuntime() ?? '', [...runArgs, 'program.mjs', baseUrl, apiKey, 'session-1'], sdk.folder)
    const told = JSON.parse(output)
    expect(told).toEqual({
      minted: {
        token: 3,
        ttl: expect.any(Number),
        sessionId: 'session-1',
        expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      answer: 'Grüße, 世界',
      invalid: expect.stringMatching(/JSON/),
      refused: { isSallyportError: true, status: 401, message: 'Invalid API key' },
      baseURL,
      keys: 1,
    })
    // The seconds that the program has taken are gone.
    expect(told.minted.ttl).toBeGreaterThan(500)
    expect(told.minted.ttl).toBeLessThanOrEqual(600)
  })
}
