// A start that must be refused, as its operator sees it: one line, a code, in time, and nothing changed on the disk.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { roomFor } from '../support/slowness.ts'
import { startProduct } from '../support/start-product.ts'

/** Refusals that wait for somebody take up to five seconds; the rest is the machine's own slowness. */
const deadlineMs = 15_000

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-product-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Refused {
  /** What stderr says besides log lines. */
  sentence: string
  stderr: string
  tookMs: number
}

/** Waits for the end of a start, and checks what every refusal has in common. */
export async function expectRefused(env: Record<string, string>, args: string[] = []): Promise<Refused> {
  const begun = performance.now()
  const product = await startProduct({ env, args, waitForReady: false })
  const timer = setTimeout(() => void product.kill(), 20 * deadlineMs)
  const code = await product.exitCode
  clearTimeout(timer)
  const tookMs = performance.now() - begun
  const stderr = product.stderr()
  const said = stderr.split('\n').filter(line => line !== '' && !line.startsWith('{'))
  expect(said, stderr).toHaveLength(1)
  expect(code).toBe(1)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(product.stdout()).toBe('')
  expect(tookMs).toBeLessThan(roomFor(deadlineMs))
  return { sentence: said[0] ?? '', stderr, tookMs }
}

/** Every file below the folder with its mode and a digest of its bytes; empty where there is no folder. */
export function contentsOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const contents: Record<string, string> = { '.': describeMode(folder) }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    const isFile = statSync(path).isFile()
    contents[name] =
      `${describeMode(path)} ${isFile ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`
  }
  return contents
}

function describeMode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}
