// `npm run sbom` lists what an installation of the server gets: each package of the lockfile with licence, address and
// hash.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const checkout = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-sbom-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Component {
  name: string
  version: string
  type: string
  purl: string
  scope: string
  licenses: { license: { id: string } }[]
  hashes: { alg: string; content: string }[]
}

interface LockEntry {
  version: string
  integrity: string
  license: string
  dev?: true
  link?: true
  optional?: true
}

let text: string
let sbom: {
  bomFormat: string
  specVersion: string
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

beforeAll(() => {
  const file = join(folder, 'made', 'sbom.json')
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: { sbom: string } }
  const [, command = '', ...args] = scripts.sbom.split(' ')
  execFileSync(command, [...args, file], { cwd: checkout })
  text = readFileSync(file, 'utf8')
  sbom = JSON.parse(text)
})

const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockEntry>
}
const needed = Object.entries(lock.packages).filter(
  ([path, { dev, link }]) => /node_modules\//.test(path) && !dev && !link,
)

test('describes the product', () => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' })
  const licenses = [{ license: { id: 'Apache-2.0' } }]
  const purl = `pkg:npm/sallyport@${version}`
  expect(sbom.metadata.component).toMatchObject({ name: 'sallyport', type: 'application', version, purl, licenses })
})

test('names each package of the product, with licence, address and hash, and no other', () => {
  const expected = needed.map(([path, { version, integrity, license, optional }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return {
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      scope: optional ? 'optional' : 'required',
      licenses: [{ license: { id: license } }],
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    }
  })
  expect(expected.length).toBeGreaterThan(60)
  expect(expected.map(({ name }) => name)).toContain('fastify')
  expect(expected.map(({ name }) => name)).not.toContain('vitest')
  const listed = sbom.components.map(({ name, version, purl, scope, licenses, hashes }) => {
    return { name, version, purl, scope, licenses, hashes }
  })
  const byPurl = (a: { purl: string }, b: { purl: string }) => (a.purl < b.purl ? -1 : 1)
  expect(listed.sort(byPurl)).toEqual(expected.sort(byPurl))
})

test('has the graph: the product needs what its manifests name', () => {
  const { version, optionalDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const { dependencies } = JSON.parse(readFileSync(join(checkout, 'server/package.json'), 'utf8'))
  const direct = sbom.dependencies.find(({ ref }) => ref === `sallyport@${version}`)?.dependsOn
  const named = Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, exact]) => `${name}@${exact}`)
  expect(direct?.sort()).toEqual(named.sort())
})

test('names neither a registry nor a place of the machine that made it', () => {
  const places = [checkout, folder, tmpdir(), `${homedir()}/`, hostname()]
  expect(places.filter(place => text.includes(place))).toEqual([])
  expect(text.match(/https?:\/\/[^"]+/g)).toEqual(['http://cyclonedx.org/schema/bom-1.5.schema.json'])
})
