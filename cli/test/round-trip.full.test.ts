// Any legal project, exported and applied elsewhere, is the same project, with the same settings for every tier. A file
// with anything unknown or wrong changes nothing, and the error has its line and column.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { beforeAll, expect, inject, test } from 'vitest'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { readProjectFile, type WrittenProject, writeProjectFile } from '../src/commands/files/project-file.ts'
import { arbitraryOf, type JsonSchema } from './project-arbitraries.ts'
import { makeFolder } from './run-cli.ts'

type Body = Record<string, unknown>
type Draft = WrittenProject & { etag: string }
const cases = inject('prove') ? 1000 : 40
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const file = join(makeFolder(), 'project.yaml')

describeEachBackend('a project from any file', start => {
  let plane: ManagementHarness
  let schema: JsonSchema
  let validate: ReturnType<Ajv2020['compile']>
  const projects: string[] = []
  beforeAll(async () => {
    plane = await start()
    plane.upstream.on('GET /v1/models', { body: { data: [] } })
    schema = (await plane.call('GET', '/schemas/project-v1.json')).body as JsonSchema
    validate = new Ajv2020({ strict: false }).compile(schema)
    for (let count = 0; count < 2; count++) {
      const { id } = await plane.makeTenant({ plan: 'pro' })
      await plane.giveProvider(id, 'openai', { api_key: 'sk-good0123456789abcdefghij' })
      projects.push((await plane.makeProject(id)).id)
    }
  })

  const call = async (project: string | undefined, method: string, place: string, body?: Body) => {
    const options = { session: plane.owner.session, ...(body === undefined ? {} : { body }) }
    return await plane.call(method, `/auth/v1/projects/${project}${place}`, options)
  }
  const read = async (project: string | undefined) => (await call(project, 'GET', '/draft')).body as Draft
  const resolved = async (project: string | undefined) => {
    const tiers = (await call(project, 'GET', '/tiers')).body as { name: string; resolved: Body }[]
    return Object.fromEntries(tiers.map(tier => [tier.name, tier.resolved]))
  }
  /** Of the secrets that the file names. */
  let environment: Record<string, string> = {}
  const write = (draft: Draft) => {
    const text = writeProjectFile('https://llm.example.com/schemas/project-v1.json', draft)
    writeFileSync(file, text)
    const names = [...text.matchAll(/secret: \$\{env:(\w+)\}/g)].map(([, name = '']) => name)
    environment = Object.fromEntries(names.map(name => [name, secret]))
    return text
  }

  /** What the fields need of each other is not in the schema: what the API refuses is left out, by its place. */
  async function applyLegal(given: Body): Promise<void> {
    for (let tries = 0; tries < 60; tries++) {
      const { status, body } = await call(projects[0], 'PUT', '/draft', { ...given, prune: true })
      if (status === 200) return
      const message = String((body as { error: unknown }).error)
      const steps =
        /^[\w.[\]]+/
          .exec(message)?.[0]
          .split(/[.[\]]+/)
          .filter(Boolean) ?? []
      if (!leaveOut(given, steps)) throw new Error(`${status} ${message} of ${JSON.stringify(given)}`)
    }
    throw new Error(`nothing legal was found in ${JSON.stringify(given)}`)
  }

  test('is the same project after an export and an apply elsewhere, for every tier', async () => {
    const fields = new Set<string>()
    const lists = { tiers: [], prompts: [], webhooks: [], end_user_budgets: [] }
    const empty = { name: 'Empty', managed_by: null, settings: (await read(projects[1])).settings, ...lists }
    await fc.assert(
      fc.asyncProperty(arbitraryOf(schema), async generated => {
        const { $schema: _, ...given } = generated as Body
        await applyLegal({ ...empty, ...given })
        await call(projects[1], 'PUT', '/draft', { ...empty, prune: true })
        const first = await read(projects[0])
        const text = write(first)
        expect([validate(parseDocument(text).toJS()), validate.errors]).toEqual([true, null])
        const applied = await call(projects[1], 'PUT', '/draft', {
          ...readProjectFile(file, { environment }).document,
          prune: true,
        })
        expect(applied).toMatchObject({ status: 200 })
        expect(await read(projects[1])).toEqual(first)
        expect(await resolved(projects[1])).toEqual(await resolved(projects[0]))
        for (const name of Object.keys((given['settings'] ?? {}) as Body)) fields.add(name)
      }),
      { numRuns: cases, seed: 20_261_129 },
    )
    expect([...fields].sort()).toEqual(Object.keys(schema.properties?.['settings']?.properties ?? {}).sort())
  }, 600_000)

  test('a file with anything unknown or wrong changes nothing, and the error has its place', async () => {
    const chosen = fc.tuple(fc.nat(), fc.boolean())
    await fc.assert(
      fc.asyncProperty(
        arbitraryOf(schema),
        fc.array(chosen, { minLength: 3, maxLength: 3 }),
        async (generated, all) => {
          const { $schema: _, ...given } = generated as Body
          await applyLegal({ tiers: [], prompts: [], webhooks: [], end_user_budgets: [], ...given })
          const before = await read(projects[0])
          const legal = write(before)
          for (const [at, isUnknown] of all) {
            const { text, path, place } = isUnknown ? addUnknown(legal, schema, at) : putWrong(legal, validate, at)
            writeFileSync(file, text)
            const found = await applyFile()
            expect([text, path, found]).toEqual([text, path, expect.stringMatching(/project\.yaml:\d+:\d+: /)])
            const [line = 0, column = 0] = /yaml:(\d+):(\d+): /.exec(found)?.slice(1).map(Number) ?? []
            expect([path, found, place(line, column)]).toEqual([path, found, true])
          }
          expect(await read(projects[0])).toEqual(before)
        },
      ),
      { numRuns: Math.ceil(cases / 2), seed: 20_261_130 },
    )
  }, 600_000)

  /** Returns the error. */
  async function applyFile(): Promise<string> {
    try {
      const { document, fail } = readProjectFile(file, { environment })
      const { status, body } = await call(projects[0], 'PUT', '/draft', { ...document, prune: true })
      if (status === 400) fail(String((body as { error: unknown }).error))
      return `${status} ${JSON.stringify(body)}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
})

/** The deepest part that the steps lead to; false if they lead to none. */
function leaveOut(given: Body, steps: readonly string[]): boolean {
  const [list = '', index = '', ...rest] = steps
  const value = given[list]
  if (Array.isArray(value)) {
    const one = value[Number(index)] as Body | undefined
    const overrides = one?.['overrides'] as Body | undefined
    if (overrides !== undefined && rest[0] === 'overrides' && delete overrides[rest[1] ?? ''])
      return rest[1] !== undefined
    value.splice(Number(index) || 0, 1)
    return one !== undefined
  }
  const settings = given['settings'] as Body | undefined
  if (list !== 'settings' || settings === undefined || !(index in settings)) return false
  return delete settings[index]
}

interface Broken {
  text: string
  path: string
  /** Whether line and column are at the part that was broken, or at what it is part of. */
  place(line: number, column: number): boolean
}

/** A field that nobody knows, in one of the objects whose fields are known. */
function addUnknown(legal: string, schema: JsonSchema, at: number): Broken {
  const document = parseDocument(legal)
  const closed = listParts(document.contents, schema).filter(
    ({ node, schema: of }) => isMap(node) && of.additionalProperties === false,
  )
  const part = closed[at % closed.length]
  if (part === undefined) throw new Error('the file has no object')
  document.setIn([...part.path, 'unheard_of'], 1)
  return findPlace(String(document), [...part.path, 'unheard_of'])
}

const wrong = [{ a: 1 }, [[]], -7, 'a text that is no such value', true, null]

/** A value that the schema does not allow, in place of one of the file. */
function putWrong(legal: string, validate: ReturnType<Ajv2020['compile']>, at: number): Broken {
  const document = parseDocument(legal)
  const paths = listParts(document.contents, {})
    .map(({ path }) => path)
    .filter(([first]) => first !== undefined && first !== '$schema')
  for (let step = 0; step < paths.length; step++) {
    const path = paths[(at + step) % paths.length] ?? []
    const old = document.getIn(path, true)
    for (const value of wrong) {
      document.setIn(path, value)
      if (!validate(document.toJS()) && (value !== null || path.length > 1)) return findPlace(String(document), path)
    }
    document.setIn(path, old)
  }
  throw new Error('nothing of the file can be wrong')
}

interface Part {
  path: (string | number)[]
  node: unknown
  schema: JsonSchema
}

function listParts(node: unknown, schema: JsonSchema, path: Part['path'] = []): Part[] {
  const own: Part = { path, node, schema }
  if (isSeq(node)) {
    return [own, ...node.items.flatMap((item, at) => listParts(item, schema.items ?? {}, [...path, at]))]
  }
  if (!isMap(node)) return [own]
  const parts = node.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
    return listParts(value, schema.properties?.[name] ?? others, [...path, name])
  })
  return [own, ...parts]
}

/** The part begins where its name stands. The whole file is no place. */
function findPlace(text: string, path: Part['path']): Broken {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const starts = path.map((_, at) => offsetAt(document.contents, path.slice(0, at + 1)))
  const place = (line: number, column: number) =>
    starts.some(offset => {
      const found = lines.linePos(offset)
      return found.line === line && found.col === column
    })
  return { text, path: path.join('.'), place }
}

function offsetAt(root: unknown, path: Part['path']): number {
  let place = root
  let offset = 0
  for (const step of path) {
    if (isSeq(place)) {
      place = place.items[Number(step)]
      offset = (place as Node).range?.[0] ?? 0
    } else if (isMap(place)) {
      const pair = place.items.find(({ key }) => isScalar(key) && key.value === step)
      offset = isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : 0
      place = pair?.value
    }
  }
  return offset
}
