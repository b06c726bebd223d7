// The SDK as it is published: what the package holds, its types as others compile them, and on the Node of this
// checkout.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installPackedSdk, type PackedSdk, run, testRuntime } from './packed-sdk.ts'

describe('Node', () => testRuntime(() => process.execPath))

describe('the package', () => {
  let sdk: PackedSdk
  beforeAll(async () => {
    sdk = await installPackedSdk()
  })
  afterAll(() => sdk?.remove())
  const installed = () => join(sdk.folder, 'node_modules/@sallyport/sdk')

  test('is 1.5.0 without dependencies and scripts that run at the install', () => {
    const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ name: '@sallyport/sdk', version: '1.5.0', type: 'module', license: 'Apache-2.0' })
    const kinds = ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies']
    expect(kinds.filter(kind => kind in manifest)).toEqual([])
    expect(manifest).not.toHaveProperty('scripts')
    expect(readdirSync(installed()).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  })

  test('imports nothing but its own files', () => {
    const folder = join(installed(), 'dist')
    const imported = readdirSync(folder)
      .map(name => readFileSync(join(folder, name), 'utf8'))
      .flatMap(source => [...source.matchAll(/(?:\bfrom |\bimport\()'([^']+)'/g)].map(([, target]) => target))
    expect(imported.length).toBeGreaterThan(10)
    for (const target of imported) expect(target).toMatch(/^\.\/[a-z-]+\.js$/)
  })

  test('has no fault that publint knows', async () => {
    const tarball = sdk.tarball.buffer.slice(sdk.tarball.byteOffset, sdk.tarball.byteOffset + sdk.tarball.length)
    const { messages } = await publint({ pack: { tarball: tarball as ArrayBuffer }, strict: true })
    expect(messages).toEqual([])
  })

  const compiler = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc')
  const compile = async (source: string, options: string[]): Promise<string> => {
    writeFileSync(join(sdk.folder, 'program.ts'), `import * as sdk from '@sallyport/sdk'\n${source}\n`)
    const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom']
    const args = [compiler, ...flags, '--types', '', ...options, 'program.ts']
    return await run(process.execPath, args, sdk.folder).catch((error: Error) => error.message)
  }
  const resolutions = [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]
  const client = "const client = sdk.createManagementClient({ baseUrl: 'http://a', token: 'sess_1' })"

  test.each(resolutions)('has types that compile: %s %s', async (...options) => {
    const source = `
      const minted: Promise<{ token: string; ttl: number; sessionId: string; expiresAt: string }> =
        sdk.createSallyport({ baseUrl: 'http://a', apiKey: 'k', fetch, maxRetries: 1 }).mint({ userId: 'u', ttl: 60 })
      const provider = sdk.createTokenProvider(() => fetch('/token'))
      const openai: { baseURL: string; fetch: typeof fetch } = sdk.openaiOptions({ baseUrl: 'http://a', tokenProvider: provider })
      ${client}
      const tenant: Promise<{ id: string; plan: 'free' | 'pro' }> =
        client.request('GET', '/auth/v1/tenants/{tenantId}', { path: { tenantId: 'a' } })
      const all: Promise<{ id: string }[]> = client.request('GET', '/auth/v1/tenants')
      const none: Promise<undefined> = client.request('DELETE', '/auth/v1/sessions/current')`
    expect(await compile(source, options)).toBe('')
  })

  test.each([
    ['an unknown path', "client.request('GET', '/auth/v1/nothing')"],
    ['a method that the path does not have', "client.request('DELETE', '/auth/v1/tenants')"],
    ['a missing input', "client.request('GET', '/auth/v1/tenants/{tenantId}')"],
    ['a missing path parameter', "client.request('GET', '/auth/v1/tenants/{tenantId}', { path: {} })"],
    ['an unknown field', "client.request('POST', '/auth/v1/tenants', { body: { name: 'a', nam: 'b' } })"],
    ['a wrong answer', "const a: Promise<number> = client.request('GET', '/auth/v1/tenants')"],
  ])('has types that refuse %s', async (_what, call) => {
    const output = await compile(`${client}\n${call}`, resolutions[0] ?? [])
    expect(output).toContain('error TS')
    expect(output.match(/error TS/g)).toHaveLength(1)
  })
})
